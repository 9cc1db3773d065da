import Foundation
@_spi(ModelKitInternals) import StoreProtocol

/// The part of a file that is kept beside the target of a download, and the validator with which it is continued.
struct DownloadPart: Sendable {
  /// The version of the file to which a kept part belongs.
  struct Version: Equatable, Sendable {
    /// The digest of the whole address.
    var address: Int
    /// The digest of the credentials. Another user may have another file at the same address.
    var credentials: Int
    /// The strong entity tag or the date of the last change.
    var validator: String
    /// The length of the whole file, if it is known.
    var total: Int?
  }

  /// The digests of the address and of the credentials of a request. They are no secrets.
  struct Source: Equatable, Sendable {
    let address: Int
    let credentials: Int

    init(_ request: HTTPRequestData) {
      let redaction = RecordingRedaction()
      let secrets = request.headers.entries.filter {
        request.credentialNames.contains($0.name) || redaction.hides($0.name)
      }
      let text = secrets.map { "\($0.name.lowercased()): \($0.value)" }.sorted().joined(separator: "\n")
      address = Int(truncatingIfNeeded: Array(request.url.absoluteString.utf8).digest)
      credentials = Int(truncatingIfNeeded: Array(text.utf8).digest)
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

  /// The number of bytes in the part.
  var count: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The version of the part; nil if it can't be continued.
  var version: Version? {
    guard let data = try? Data(contentsOf: versionFile), let json = try? JSONValue(json: data),
      let address = json["address"]?.intValue,
      let credentials = json["credentials"]?.intValue, let validator = json["validator"]?.stringValue
    else { return nil }
    return Version(
      address: address, credentials: credentials, validator: validator, total: json["total"]?.intValue)
  }

  /// Writes the version, before the first byte of the part.
  func setVersion(_ version: Version?) throws {
    guard let version else {
      // Without error, the next download would continue the part as that of another version.
      if FileManager.default.fileExists(atPath: versionFile.path) {
        try FileManager.default.removeItem(at: versionFile)
      }
      return
    }
    var json: AttributeDictionary = [
      "address": .int(version.address), "credentials": .int(version.credentials),
      "validator": .string(version.validator),
    ]
    if let total = version.total { json["total"] = .int(total) }
    try JSONValue.object(json).jsonData(JSONWritingOptions(sortedKeys: true)).write(to: versionFile, options: .atomic)
  }

  /// Opens the part at its end. It is created if there is none.
  func open() throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forUpdating: file)
    try handle.seekToEnd()
    return handle
  }

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
    (address, credentials) = (source.address, source.credentials)
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

  /// Returns whether an answer is of another version, as far as it tells.
  func differs(from head: HTTPResponseData) -> Bool {
    let header = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
    return head.headers[header].map { $0 != validator } ?? false
  }
}
