import Foundation
import Hummingbird
import NIOCore

extension Request {
  /// Whether a body follows the headers.
  var hasBody: Bool { headers[.transferEncoding] != nil || (headers[.contentLength] ?? "0") != "0" }

  /// Reads the body.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - timeout: the time limit.
  /// - Throws: ``ServerProblem`` with the status 413 for a longer body, 408 for a slow one, 400 for an incomplete one.
  func collectBody(limit: Int, within timeout: Duration) async throws -> Data {
    if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw ServerProblem.tooLong(limit) }
    return try await withThrowingTaskGroup(of: Data.self) { group in
      defer { group.cancelAll() }
      group.addTask { [body] in
        var data = Data()
        do {
          for try await buffer in body {
            guard data.count + buffer.readableBytes <= limit else { throw ServerProblem.tooLong(limit) }
            data.append(contentsOf: buffer.readableBytesView)
          }
        } catch let problem as ServerProblem {
          throw problem
        } catch { throw ServerProblem(400, "The body is incomplete.") }
        return data
      }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw ServerProblem(408, "The body did not arrive within \(timeout).")
      }
      guard let data = try await group.next() else { return Data() }
      return data
    }
  }
}

extension ServerProblem {
  fileprivate static func tooLong(_ limit: Int) -> ServerProblem {
    ServerProblem(413, "The body has more than \(limit) bytes.")
  }
}
