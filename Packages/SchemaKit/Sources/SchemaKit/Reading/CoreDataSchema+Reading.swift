public import Foundation

extension CoreDataSchema {
  /// Reads a model file.
  ///
  /// - Parameters:
  ///   - url: an `.xcdatamodeld`, whose current version is read, an `.xcdatamodel`, or the XML file `contents` inside
  ///     one.
  ///   - options: the limits of the file's size.
  /// - Throws: ``SchemaFileError``. Unknown parts (see ``notes``) and inconsistencies are not errors (see
  ///   ``check()``).
  public init(contentsOf url: URL, options: SchemaReadingOptions = .init()) throws {
    if url.pathExtension == "xcdatamodeld" {
      let version = try ModelFileBundle.currentVersion(of: url)
      try self.init(contentsOf: url, version: version, options: options)
    } else {
      try self.init(contentsFile: url, options)
    }
  }

  /// Reads one version of a model file.
  ///
  /// - Parameters:
  ///   - url: an `.xcdatamodeld`.
  ///   - version: the name of the version, such as `Authors 2`, with or without `.xcdatamodel`.
  ///   - options: the limits of the file's size.
  /// - Throws: ``SchemaFileError``.
  public init(contentsOf url: URL, version: String, options: SchemaReadingOptions = .init()) throws {
    let name = ModelFileBundle.bareName(version)
    let versions = try Self.versionNames(in: url)
    guard versions.contains(name) else {
      let known = versions.map { "\"\($0)\"" }.joined(separator: ", ")
      throw SchemaFileError(
        .unknownVersion, "there is no version \"\(name)\"; there are \(known).", file: url.lastPathComponent)
    }
    try self.init(contentsFile: url.appendingPathComponent("\(name).xcdatamodel"), options)
  }

  /// Reads the XML of a model file.
  ///
  /// - Throws: ``SchemaFileError``.
  public init(contents data: Data, options: SchemaReadingOptions = .init()) throws {
    try self.init(contents: data, versionName: nil, options)
  }

  /// Returns the names of the versions in an `.xcdatamodeld`, sorted.
  ///
  /// - Throws: ``SchemaFileError`` if it can't be opened.
  public static func versionNames(in url: URL) throws -> [String] { try ModelFileBundle.versionNames(in: url) }

  private init(contentsFile url: URL, _ options: SchemaReadingOptions) throws {
    let isBundle = url.pathExtension == "xcdatamodel"
    let file = isBundle ? url.appendingPathComponent("contents") : url
    let name = isBundle ? "\(url.lastPathComponent)/contents" : url.lastPathComponent
    do {
      let data = try ModelFileBundle.data(of: file, options)
      let version = isBundle ? url.deletingPathExtension().lastPathComponent : nil
      try self.init(contents: data, versionName: version, options)
    } catch var error as SchemaFileError {
      error.file = name
      throw error
    }
  }

  private init(contents data: Data, versionName: String?, _ options: SchemaReadingOptions) throws {
    let root = try XMLTreeReader.tree(of: data, options)
    var reader = SchemaTreeReader()
    let content = try reader.content(of: root)
    self.init(storage: SchemaStorage(content, notes: reader.notes, versionName: versionName))
  }
}

/// The folder of the versions of a model file.
private enum ModelFileBundle {
  static func bareName(_ version: String) -> String {
    version.hasSuffix(".xcdatamodel") ? String(version.dropLast(".xcdatamodel".count)) : version
  }

  static func versionNames(in url: URL) throws -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
      throw SchemaFileError(.unreadable, "there is no such folder, or it can't be opened.", file: url.lastPathComponent)
    }
    return names.filter { $0.hasSuffix(".xcdatamodel") }.map(bareName).sorted()
  }

  /// Returns the current version: the one that `.xccurrentversion` names, or the only one.
  static func currentVersion(of url: URL) throws -> String {
    let versions = try versionNames(in: url)
    let file = url.appendingPathComponent(".xccurrentversion")
    if let data = try? data(of: file, SchemaReadingOptions(maximumBytes: 1 << 20)),
      let list = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
      let name = (list as? [String: Any])?["_XCCurrentVersionName"] as? String
    {
      return name
    }
    if versions.count == 1 { return versions[0] }
    throw SchemaFileError(
      .unknownVersion,
      """
      .xccurrentversion does not name the current one of \(versions.count) versions; name one with \
      CoreDataSchema(contentsOf:version:).
      """,
      file: url.lastPathComponent)
  }

  /// Returns the bytes of a file, unless it exceeds the limit.
  static func data(of url: URL, _ options: SchemaReadingOptions) throws -> Data {
    guard let handle = try? FileHandle(forReadingFrom: url) else {
      throw SchemaFileError(.unreadable, "there is no such file, or it can't be opened.", file: url.lastPathComponent)
    }
    defer { try? handle.close() }
    // Reading one byte more than the limit detects a file that exceeds it.
    let most = min(max(options.maximumBytes, 0), .max - 1)
    guard let data = try? handle.read(upToCount: most + 1) else {
      throw SchemaFileError(.unreadable, "it can't be read.", file: url.lastPathComponent)
    }
    if data.count > options.maximumBytes {
      throw SchemaFileError(
        .tooLarge, "it has more than the \(options.maximumBytes) bytes that SchemaReadingOptions allow.",
        file: url.lastPathComponent)
    }
    return data
  }
}
