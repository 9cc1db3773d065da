import Foundation
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A delegate that passes the reports of a URLSession to their transfers, and decides on redirects.
///
/// It never cancels a task: on Linux it is called on the queue that a cancellation would wait for. The code that waits
/// for a failed transfer cancels its task.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let transfers: TransferTable

  init(_ transfers: TransferTable) { self.transfers = transfers }

  private func transfer(for task: URLSessionTask) -> Transfer? { transfers.transfer(for: task) }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse, let transfer = transfers.progressingTransfer(for: dataTask)
    else {
      return completionHandler(.cancel)
    }
    let continues = transfer.receive(HTTPResponseData(response), expectedBytes: response.expectedContentLength)
    completionHandler(continues ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfers.progressingTransfer(for: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    transfers.progressingTransfer(for: task)?.sent(totalBytesSent)
  }

  #if canImport(FoundationNetworking)
    /// Ends the transfer. libcurl requests the body again if the server ended a connection just when it was reused. It
    /// would send the request a second time, although the first one may have been carried out. Then it would wait
    /// forever for a body that it doesn't get. A caller that knows a repetition to be safe makes one.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      transfer(for: task)?.fail(URLError(.networkConnectionLost))
      completionHandler(nil)
    }

    /// Completes the transfer with a refusal as its answer. Linux requests a password after the whole answer has
    /// arrived, and without one would never report the end.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.proposedCredential == nil else {
        // The configuration has its own passwords. Continuing with one waits for the queue of this call.
        return DispatchQueue.global().async { completionHandler(.performDefaultHandling, nil) }
      }
      transfer(for: task)?.complete(nil)
      task.cancelSoon()
    }
  #endif

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    transfer(for: task)?.complete(error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let next = Self.redirected(newRequest, from: task.currentRequest ?? task.originalRequest)
    if next != nil, transfers.progressingTransfer(for: task)?.redirect() == false {
      return completionHandler(nil)
    }
    // A redirect that is not followed is the answer; Linux reports it in no other way.
    if next == nil {
      _ = transfer(for: task)?.receive(HTTPResponseData(response), expectedBytes: response.expectedContentLength)
    }
    completionHandler(next)
  }

  /// The headers that follow to another host: none that could identify the sender.
  private static let harmlessHeaders: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "content-length", "content-type", "if-range",
    "range", "user-agent",
  ]

  /// Returns the request that follows a redirect; nil if it must not be followed.
  ///
  /// No redirect is followed that would turn a write into a read, send a write to another host, or change from HTTPS to
  /// HTTP.
  static func redirected(_ next: URLRequest, from last: URLRequest?) -> URLRequest? {
    guard let last, let lastURL = last.url, let url = next.url else { return nil }
    guard (next.httpMethod ?? "GET") == (last.httpMethod ?? "GET") else { return nil }
    let scheme = url.scheme?.lowercased()
    guard scheme == "https" || (scheme == "http" && lastURL.scheme?.lowercased() == "http") else { return nil }
    guard !isSameOrigin(lastURL, url) else { return next }
    guard ["GET", "HEAD"].contains(next.httpMethod ?? "GET") else { return nil }
    var next = next
    for name in (next.allHTTPHeaderFields ?? [:]).keys where !harmlessHeaders.contains(name.lowercased()) {
      next.setValue(nil, forHTTPHeaderField: name)
    }
    return next
  }

  private static func isSameOrigin(_ left: URL, _ right: URL) -> Bool {
    func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
    return left.scheme?.lowercased() == right.scheme?.lowercased()
      && left.host?.lowercased() == right.host?.lowercased()
      && port(left) == port(right)
  }
}

extension HTTPResponseData {
  fileprivate init(_ response: HTTPURLResponse) {
    let lines = response.allHeaderFields.map { name, value in
      (name: name.base as? String ?? "\(name)", value: value as? String ?? "\(value)")
    }
    var headers = HTTPHeaderList()
    for line in lines.sorted(by: { $0.name < $1.name }) { headers.add(line.name, line.value) }
    self.init(status: response.statusCode, headers: headers)
  }
}
