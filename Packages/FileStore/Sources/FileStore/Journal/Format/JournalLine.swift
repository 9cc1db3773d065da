@_spi(ModelKitInternals) import StoreEngine

/// A line of a journal with a correct checksum. See `JournalFormat.md` for the layouts.
enum JournalLine: Equatable {
  /// The first line of a segment; `records` is their number in a compacted segment.
  case segment(version: UInt64, number: UInt64, firstBatch: UInt64, group: String, records: UInt64?)

  /// The first line of a batch; `count` records follow. All batches up to `synced` were synced before this one.
  case batch(number: UInt64, count: UInt64, synced: UInt64)

  /// In a compacted segment: the next `count` lines are live records of the batches up to `batch`.
  case kept(batch: UInt64, count: UInt64)

  /// In a compacted segment: the largest integer that was an identifier of a type.
  case largest(type: JournalText, integer: UInt64)

  /// The first line of a checkpoint.
  case checkpoint(CheckpointHeader)

  /// One change of one model.
  case record(RecordLine)

  /// The line of `closed.json`: where the journal ended when it was last closed.
  case closed(segment: UInt64, length: UInt64, batch: UInt64)

  /// An intact line of a kind that this version does not know.
  case unknown(kind: String)
}

/// A change in a line; the ranges are relative to the first byte of the line.
struct RecordLine: Equatable {
  var operation: Operation
  var type: JournalText
  var identifier: JournalText
  var revision: UInt64

  /// The model's JSON; empty for a deletion.
  var value: Range<Int>
}

/// A JSON string in a line: the line's own bytes, or a copy where escapes had to be resolved.
enum JournalText: Equatable {
  case verbatim(Range<Int>)
  case unescaped([UInt8])

  /// Calls `body` with the string's UTF-8 bytes.
  func withBytes<Result>(in line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch self {
    case .verbatim(let range): body(UnsafeRawBufferPointer(rebasing: line[range]))
    case .unescaped(let bytes): bytes.withUnsafeBytes(body)
    }
  }

  func string(in line: UnsafeRawBufferPointer) -> String {
    withBytes(in: line) { String(decoding: $0, as: UTF8.self) }
  }
}

/// The sizes of the parts of a line that do not depend on its content.
enum LineLayout {
  /// `["01234567",` : the checksum covers everything after it up to the line break.
  static let prefixLength = 12

  /// The position of the eight hexadecimal digits of the checksum.
  static let checksum = 2..<10
}
