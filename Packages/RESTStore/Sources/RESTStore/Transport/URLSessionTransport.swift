import StoreProtocol

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Carries requests with `URLSession`.
///
/// ```swift
/// let store = RESTModelStore(baseURL: url, transport: URLSessionTransport.shared)  // the default
/// ```
///
/// Nothing is kept between requests but connections: no cookies, no cache, no stored passwords. Redirects are followed
/// where they keep the method; what could be a credential does not follow to another host.
public final class URLSessionTransport: HTTPTransport {
  /// The transport of all stores that were not given one: one session, so connections are used again.
  public static let shared = URLSessionTransport()

  private let transfers = TransferTable()
  private let session: URLSession

  /// Creates a transport with a session of its own.
  ///
  /// - Parameter configuration: how the session works, such as its proxies; the default keeps nothing between requests.
  public init(configuration: URLSessionConfiguration? = nil) {
    let configuration = configuration ?? Self.forgetfulConfiguration
    #if canImport(FoundationNetworking)
      let queue: OperationQueue? = ImmediateOperationQueue()
    #else
      let queue: OperationQueue? = nil
    #endif
    session = URLSession(
      configuration: configuration, delegate: TransferDelegate(transfers), delegateQueue: queue)
  }

  deinit {
    session.finishTasksAndInvalidate()
  }

  private static var forgetfulConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // A session cookie of one user must not travel with the requests of another.
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    // Stores take their turns before the time-out begins to run; in the session it would run while they wait.
    configuration.httpMaximumConnectionsPerHost = 64
    return configuration
  }

  /// Sends a request and waits for the whole answer.
  ///
  /// - Throws: `ModelStoreError` with the code `offline`, `timeout`, `cancelled`, `server` if the answer is too long or no
  ///   HTTP, or `invalid` if the request can't be sent.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.checkHeaders()
    guard ["http", "https"].contains(request.url.scheme?.lowercased()), request.url.host?.isEmpty == false else {
      throw ModelStoreError(
        .invalid, "\"\(RecordingRedaction().redacted(request).url.absoluteString)\" is not the address of a web server")
    }
    let transfer = Transfer(request, observer: HTTPProgress.observer)
    let task = session.dataTask(with: URLRequest(request))
    transfers.add(transfer, for: task, timeout: request.timeout)
    defer { transfers.remove(task) }
    do {
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          // A task that is cancelled before it is resumed may never report its end, so the transfer decides.
          if transfer.begin(continuation) { task.resume() } else { task.cancel() }
        }
      } onCancel: {
        transfer.fail(CancellationError())
        task.cancelSoon()
      }
    } catch let error as URLError where error.code == .unsupportedURL {
      // The address is fine, so it is the answer: Linux says it this way.
      throw ModelStoreError(
        .server, "the answer is not HTTP: \(error.localizedDescription)", cause: URLError(error.code))
    } catch {
      // Whoever ended the transfer, nothing of it may go on.
      task.cancel()
      throw ModelStoreError(transportError: error)
    }
  }
}

extension URLSessionTask {
  /// Cancels from anywhere, such as from an observer that was called by the session.
  func cancelSoon() {
    #if canImport(FoundationNetworking)
      // On Linux it waits for the session's queue, on which this may be.
      DispatchQueue.global().async { self.cancel() }
    #else
      cancel()
    #endif
  }
}

extension URLRequest {
  init(_ request: HTTPRequestData) {
    self.init(url: request.url)
    httpMethod = request.method.description
    httpBody = request.body
    cachePolicy =
      switch request.cachePolicy {
      case .ignoringCache: .reloadIgnoringLocalCacheData
      case .usingProtocol: .useProtocolCachePolicy
      case .preferringCache: .returnCacheDataElseLoad
      case .onlyCache: .returnCacheDataDontLoad
      }
    // The transport sees to the time limit. The session's own is about pauses, and on Linux it drops parts of a second.
    timeoutInterval = (min(request.timeout, TransferTable.longestTimeout) / .seconds(1)).rounded(.up) + 1
    for entry in request.headers.entries { addValue(entry.value, forHTTPHeaderField: entry.name) }
  }
}
