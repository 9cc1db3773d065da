public import Foundation
@_spi(ModelKitInternals) public import StoreProtocol

// Files, which are streamed and never in memory as a whole.
extension RESTModelStore {
  /// Downloads a file with a GET below the base address, with the credentials, headers, retries, errors and events of
  /// the store.
  ///
  /// ```swift
  /// try await store.download("/people/10/photo", to: photo)
  /// ```
  ///
  /// The bytes are written to a file beside the target, whose name ends in `.part`. It replaces the target at the end.
  /// It is an error if a file with that name exists and is no part of a download.
  ///
  /// If the download fails or is cancelled, the part is kept, and the error has its length. The next download to the
  /// same target continues it if address and credentials are the same and the server still has that version. Otherwise
  /// it begins again. Versions are compared by a strong entity tag, or else by the date of the last change.
  ///
  /// ``HTTPProgress`` includes the bytes that were kept. The time limit ends a download that receives no data for so
  /// long; the whole download may take longer.
  ///
  /// - Parameters:
  ///   - path: the path below the base address, percent-encoded and with a slash at its beginning. It may have a query.
  ///   - target: the file to write. Its folder has to exist.
  ///   - parameters: the parameters by name, which are added to the address.
  ///   - headers: the headers of this request. They replace those of the store.
  ///   - maximumBytes: the maximum length of the file. The store's limit for responses does not apply, because it is
  ///     for responses in memory.
  /// - Returns: status and headers of the answer, without its body.
  /// - Throws: `ModelStoreError` as `request` does. The code is `inputOutput` or `full` if the file can't be written,
  ///   or `locked` if this or another process is downloading to it. It is `server` if the file is too long, and
  ///   `unsupported` if the transport is no ``StreamingTransport``.
  @discardableResult
  public func download(
    _ path: String, to target: URL, parameters: AttributeDictionary = [:], headers: HTTPHeaderList = [:],
    maximumBytes: Int = .max
  ) async throws -> HTTPResponseData {
    var call = try fileCall(.get, path, parameters, headers)
    // Progress counts the bytes of the file, and a range refers to these bytes.
    call.headers["Accept-Encoding"] = "identity"
    if call.headers["Accept"] == nil { call.headers["Accept"] = "*/*" }
    let download = try FileDownload(to: target, maximumBytes: maximumBytes)
    defer { download.end() }
    call.transfer = download
    do {
      return try await handle.run(call, reports: false, raw: { $0.isSuccessful ? $0 : nil }) { _, response in response }
    } catch var error as ModelStoreError {
      error.message += "\(error.message.hasSuffix(".") ? "" : ".") \(download.keptSentence)."
      throw await handle.reported(error)
    }
  }

  /// Uploads a file as the body of a request below the base address, with the credentials, headers, retries, errors and
  /// events of the store.
  ///
  /// ```swift
  /// let answer = try await store.upload(
  ///   .put, "/people/10/photo", from: photo,
  ///   headers: ["Content-Type": "image/jpeg"])
  /// ```
  ///
  /// The file is read while it is sent, again from its beginning each time that the request is sent. Don't change it
  /// meanwhile. The time limit applies to a pause, not to the whole upload.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: the path below the base address, percent-encoded and with a slash at its beginning. It may have a query.
  ///   - file: the file to send.
  ///   - parameters: the parameters by name, which are added to the address.
  ///   - headers: the headers of this request. They replace those of the store. Without a `Content-Type` it is
  ///     `application/octet-stream`.
  /// - Returns: the answer, whose status is a success.
  /// - Throws: `ModelStoreError` as `request` does. The code is `inputOutput` if the file can't be read, `unsupported`
  ///   if the transport is no ``StreamingTransport``. A file of another length than at the beginning is not sent again.
  public func upload(
    _ method: HTTPRequestData.Method, _ path: String, from file: URL, parameters: AttributeDictionary = [:],
    headers: HTTPHeaderList = [:]
  ) async throws -> RESTResult {
    var call = try fileCall(method, path, parameters, headers)
    if call.headers["Content-Type"] == nil { call.headers["Content-Type"] = "application/octet-stream" }
    call.transfer = try FileUpload(file)
    return try await result(of: call)
  }

  private func fileCall(
    _ method: HTTPRequestData.Method, _ path: String, _ parameters: AttributeDictionary, _ headers: HTTPHeaderList
  ) throws -> RESTCall {
    try checkStreaming("stream files")
    var call = try anyCall(method, path, headers)
    call.address.query += handle.options.parameterEncoder.items(.object(parameters))
    return call
  }

  /// Checks that the transport streams.
  ///
  /// - Parameter purpose: what it is needed for.
  /// - Throws: `ModelStoreError` with the code `unsupported`.
  func checkStreaming(_ purpose: String) throws {
    if handle.transport is any StreamingTransport { return }
    throw ModelStoreError(
      .unsupported,
      """
      Nothing was sent: the transport \(type(of: handle.transport)) can't \(purpose). Use URLSessionTransport, \
      AsyncHTTPClientTransport, or your own StreamingTransport.
      """)
  }
}
