import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lines of JSON in a file, each written and synced before the next one. This is a lower bound for a durable create on
/// this disk.
final class BareLines {
  private static let room = 16 << 20
  private let file: Int32
  private var end = 0

  init(in folder: URL) throws {
    file = open(folder.appending(path: "people.jsonl").path(percentEncoded: false), O_RDWR | O_CREAT | O_EXCL, 0o600)
    // In preallocated space, a sync need not write the size of the file.
    guard file >= 0, pwrite(file, [UInt8](repeating: 0, count: Self.room), Self.room, 0) == Self.room, fsync(file) == 0
    else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  func write(_ lines: [Data]) throws {
    for line in lines {
      let count = line.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(end)) }
      guard count == line.count, Self.sync(file) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      end += count
    }
  }

  func all() throws -> [PersonRecord] {
    var bytes = [UInt8](repeating: 0, count: end)
    guard pread(file, &bytes, end, 0) == end else { throw POSIXError(.EIO) }
    return try bytes.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(PersonRecord.self, from: Data($0))
    }
  }

  func close() { _ = Foundation.close(file) }

  static func line(_ record: PersonRecord) throws -> Data { try JSONEncoder().encode(record) + [UInt8(ascii: "\n")] }

  private static func sync(_ file: Int32) -> Bool {
    #if canImport(Darwin)
      fcntl(file, F_FULLFSYNC) == 0
    #else
      fdatasync(file) == 0
    #endif
  }
}
