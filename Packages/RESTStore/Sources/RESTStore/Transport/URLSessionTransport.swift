public import Foundation
import StoreProtocol

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A transport over `URLSession`.
///
/// ```swift
/// // The default transport:
/// let store = RESTModelStore(baseURL: url, transport: URLSessionTransport.shared)
/// ```
///
/// Only connections are kept between requests: no cookies, no cache, no passwords. Redirects are followed where they
/// keep the method; credentials do not follow to another host.
public final class URLSessionTransport: StreamingTransport {
  /// The transport of all stores without one of their own. It has one session, so that connections are reused.
  public static let shared = URLSessionTransport()

  private let transfers = TransferTable()
  private let session: URLSession

  /// Creates a transport with its own session.
  ///
  /// - Parameter configuration: the configuration of the session, such as its proxies; the default keeps nothing
  ///   between requests.
  public init(configuration: URLSessionConfiguration? = nil) {
    let configuration = configuration ?? Self.uncachedConfiguration
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

  private static var uncachedConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // A session cookie of one user must not travel with the requests of another.
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCredentialStorage = nil
    // Requests wait in the store before their time-out starts; in the session it would run while they wait.
    configuration.httpMaximumConnectionsPerHost = 64
    return configuration
  }

  /// Sends a request and waits for the whole answer.
  ///
  /// - Throws: `ModelStoreError` with the code `offline`, `timeout` or `cancelled`. The code is `server` if the answer
  ///   is too long or no HTTP, `invalid` if the request can't be sent.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await exchange(request) }

  /// Sends a request, and streams its body from a file, or the answer to a function.
  ///
  /// - Throws: `ModelStoreError` as ``send(_:)`` does.
  public func send(
    _ request: HTTPRequest, from file: URL?, receive: @escaping @Sendable (HTTPResponse, Data?) throws -> Bool
  ) async throws -> HTTPResponse { try await exchange(request, from: file, receiver: receive) }

  private func exchange(
    _ request: HTTPRequest, from file: URL? = nil, receiver: Transfer.Receiver? = nil
  ) async throws -> HTTPResponse {
    try request.checkHeaders()
    guard ["http", "https"].contains(request.url.scheme?.lowercased()), request.url.host?.isEmpty == false else {
      throw ModelStoreError(
        .invalid, "\"\(RecordingRedaction().redacted(request).url.absoluteString)\" is not the address of a web server")
    }
    guard request.timeout > .zero else {
      throw ModelStoreError(.timeout, "Nothing was sent: no time was left for the request.")
    }
    let transfer = Transfer(request, observer: HTTPProgress.observer, receiver: receiver)
    let task: URLSessionTask =
      if let file {
        session.uploadTask(with: URLRequest(request), fromFile: file)
      } else {
        session.dataTask(with: URLRequest(request))
      }
    transfers.add(transfer, for: task, timeout: request.timeout, isForPauses: receiver != nil)
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
      // The address was checked before, so the answer is at fault: Linux reports it in this way.
      throw ModelStoreError(
        .server, "the response is not HTTP: \(error.localizedDescription)", cause: URLError(error.code))
    } catch {
      // No part of an ended transfer may continue.
      task.cancel()
      throw ModelStoreError(transportError: error)
    }
  }
}

extension URLSessionTask {
  /// Cancels the task in any context, such as from an observer that the session calls.
  func cancelSoon() {
    #if canImport(FoundationNetworking)
      // On Linux a cancellation waits for the session's queue, on which this may run.
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
    // The transport enforces the time limit. The session's own is about pauses, and on Linux it drops fractions of a
    // second.
    timeoutInterval = (min(request.timeout, TransferTable.longestTimeout) / .seconds(1)).rounded(.up) + 1
    for entry in request.headers.entries { addValue(entry.value, forHTTPHeaderField: entry.name) }
  }
}
