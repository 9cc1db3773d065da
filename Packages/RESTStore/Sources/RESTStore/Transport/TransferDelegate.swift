import Foundation
@_spi(ModelKitInternals) import StoreProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hands what a URLSession reports to the transfer it belongs to, and decides on redirects.
///
/// It never cancels a task: on Linux it is called on the queue that a cancellation would wait for. Whoever waits for a
/// transfer that has failed cancels its task.
final class TransferDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let transfers: TransferTable

  init(_ transfers: TransferTable) { self.transfers = transfers }

  private func transfer(for task: URLSessionTask) -> Transfer? { transfers.transfer(for: task) }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse, let transfer = transfer(for: dataTask) else {
      return completionHandler(.cancel)
    }
    let goesOn = transfer.receive(HTTPResponseData(response), expectedBytes: response.expectedContentLength)
    completionHandler(goesOn ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(for: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    transfer(for: task)?.sent(totalBytesSent)
  }

  #if canImport(FoundationNetworking)
    /// Ends the transfer. libcurl asks for the body once more where the server ended a connection just when it was used
    /// again: it would send the request a second time, although the first one may have been carried out, and wait for ever
    /// for a body it doesn't get. Whoever knows that a repetition does no harm makes one.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      transfer(for: task)?.fail(URLError(.networkConnectionLost))
      completionHandler(nil)
    }

    /// Takes a refusal as the answer it is. Linux asks for a password when all of the answer has come, and without one
    /// would never say that it is done.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.proposedCredential == nil else {
        // A configuration with passwords of its own. To go on with one waits for the queue that this is called on.
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
    let next = Self.redirected(newRequest, from: task.currentRequest ?? task.originalRequest, answer: response)
    if next != nil, transfer(for: task)?.redirect() == false {
      return completionHandler(nil)
    }
    // What is not followed is the answer; Linux does not report it in any other way.
    if next == nil {
      _ = transfer(for: task)?.receive(HTTPResponseData(response), expectedBytes: response.expectedContentLength)
    }
    completionHandler(next)
  }

  /// What may follow to another host: nothing that could tell who asks.
  private static let harmlessHeaders: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "content-length", "content-type", "user-agent",
  ]

  /// The request to follow a redirect with, or nil if it must not be followed: a write would become a read or go to another
  /// host, or what was encrypted would be sent in the clear.
  static func redirected(_ next: URLRequest, from last: URLRequest?, answer: HTTPURLResponse) -> URLRequest? {
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
