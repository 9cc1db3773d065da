import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The part of a file that is kept beside the target of a download, and the validator with which it is continued.
///
/// The file beside it, whose name ends in `.part.json`, is written before the part. A part without it belongs to
/// someone else.
struct DownloadPart: Sendable {
  /// The version of the file to which a kept part belongs.
  struct Version: Equatable, Sendable {
    /// A random text that is part of both digests. So equal sources have other digests in another file.
    var salt: String
    /// The digest of the whole address.
    var address: String
    /// The digest of the credentials. Another user may have another file at the same address.
    var credentials: String
    /// The strong entity tag or the date of the last change.
    var validator: String
    /// The length of the whole file, if it is known.
    var total: Int?
  }

  /// The digests of the address and of the credentials of a request.
  struct Source: Equatable, Sendable {
    let address: String
    let credentials: String

    init(_ request: HTTPRequestData) {
      let redaction = RecordingRedaction()
      let secrets = request.headers.entries.filter {
        request.credentialNames.contains($0.name) || redaction.hides($0.name)
      }
      let text = secrets.map { "\($0.name.lowercased()): \($0.value)" }.sorted().joined(separator: "\n")
      address = DownloadPart.digest(request.url.absoluteString)
      credentials = DownloadPart.digest(text)
    }
  }

  let file: URL
  private let versionFile: URL

  /// The paths of both files.
  var paths: [String] { [file.path, versionFile.path] }

  init(beside target: URL) {
    let folder = target.deletingLastPathComponent()
    file = folder.appendingPathComponent(target.lastPathComponent + ".part")
    versionFile = folder.appendingPathComponent(target.lastPathComponent + ".part.json")
  }

  fileprivate static func digest(_ text: String) -> String {
    Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString()
  }

  /// The number of bytes in the part.
  var count: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The member that the file beside a part has in any case.
  private static let mark: (key: String, value: JSONValue) = ("kind", "download")

  private var record: JSONValue? {
    guard let data = try? Data(contentsOf: versionFile), let json = try? JSONValue(json: data),
      json[Self.mark.key] == Self.mark.value
    else { return nil }
    return json
  }

  /// The version of the part; nil if it can't be continued.
  var version: Version? {
    guard let json = record, let salt = json["salt"]?.stringValue, let address = json["address"]?.stringValue,
      let credentials = json["credentials"]?.stringValue, let validator = json["validator"]?.stringValue
    else { return nil }
    return Version(
      salt: salt, address: address, credentials: credentials, validator: validator, total: json["total"]?.intValue)
  }

  /// Writes the version, before the first byte of the part; nil if the part can't be continued.
  func setVersion(_ version: Version?) throws {
    var json: AttributeDictionary = [Self.mark.key: Self.mark.value]
    if let version {
      json["salt"] = .string(version.salt)
      json["address"] = .string(version.address)
      json["credentials"] = .string(version.credentials)
      json["validator"] = .string(version.validator)
      if let total = version.total { json["total"] = .int(total) }
    }
    try JSONValue.object(json).jsonData(JSONWritingOptions(sortedKeys: true)).write(to: versionFile, options: .atomic)
  }

  /// Opens the part at its end, and locks it against other processes. It is created if there is none.
  ///
  /// - Throws: `ModelStoreError` with the code `locked` if another download writes it. The code is `inputOutput` if a
  ///   file of that name is no part of a download: it would be lost.
  func open() throws -> FileHandle {
    if record == nil {
      for path in paths where exists(path) {
        throw ModelStoreError(
          .inputOutput,
          """
          \(URL(fileURLWithPath: path).lastPathComponent.quotedForMessage) is no part of a download, and would be lost: \
          move it, or choose another target
          """)
      }
      try setVersion(nil)
    }
    while true {
      // A symbolic link could be to a file of another program.
      let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw failure() }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      // Some file systems have no locks.
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        throw ModelStoreError(.locked, "another download writes \(file.lastPathComponent.quotedForMessage)")
      }
      // Another process may have moved it to its target before the lock was free.
      guard identity(descriptor) == identity(nil) else { continue }
      // It may have removed the version, too.
      if record == nil { try setVersion(nil) }
      try handle.seekToEnd()
      return handle
    }
  }

  private func exists(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0
  }

  /// Returns device and number of an open file, or of the file that the part's name has now.
  private func identity(_ descriptor: Int32?) -> [UInt64] {
    var info = stat()
    let isFound = descriptor.map { fstat($0, &info) == 0 } ?? (lstat(file.path, &info) == 0)
    return isFound ? [UInt64(truncatingIfNeeded: info.st_dev), UInt64(truncatingIfNeeded: info.st_ino)] : []
  }

  private func failure() -> any Error {
    CocoaError(
      errno == ENOSPC ? .fileWriteOutOfSpace : .fileWriteUnknown,
      userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
  }

  /// Removes the part, which has to be open.
  func discard() {
    try? FileManager.default.removeItem(at: file)
    try? FileManager.default.removeItem(at: versionFile)
  }

  /// Makes the part the target, in place of an existing file.
  func move(to target: URL) throws {
    guard rename(file.path, target.path) == 0 else {
      throw ModelStoreError(
        .inputOutput,
        "\(target.lastPathComponent.quotedForMessage) can't be replaced: \(String(cString: strerror(errno)))")
    }
    try? FileManager.default.removeItem(at: versionFile)
  }
}

extension DownloadPart.Version {
  /// Creates the version of an answer; nil if it has no validator with which a part can be continued safely.
  init?(of head: HTTPResponseData, from source: DownloadPart.Source, total: Int?) {
    let salt = UUID().uuidString
    self.salt = salt
    address = DownloadPart.digest(salt + source.address)
    credentials = DownloadPart.digest(salt + source.credentials)
    self.total = total
    if let tag = head.headers["ETag"], tag.hasPrefix("\""), tag.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
      validator = tag
      return
    }
    // The file may have changed again within the second of its last change.
    guard let modified = head.headers["Last-Modified"], let date = RESTRetryPolicy.date(ofHeader: modified),
      let sent = head.headers["Date"].flatMap(RESTRetryPolicy.date(ofHeader:)), sent.timeIntervalSince(date) >= 1
    else { return nil }
    validator = modified
  }

  /// Returns whether the part is from an address, and from one of several credentials.
  func isFrom(_ source: DownloadPart.Source, with credentials: Set<String>) -> Bool {
    address == DownloadPart.digest(salt + source.address)
      && credentials.contains { self.credentials == DownloadPart.digest(salt + $0) }
  }

  /// Returns whether an answer declares another version.
  func differs(from head: HTTPResponseData) -> Bool {
    let header = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return head.headers[header].map { $0 != validator } ?? false
  }
}
