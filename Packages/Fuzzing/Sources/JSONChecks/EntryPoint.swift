public import Foundation

/// Checks one input, and traps with a message if a check fails.
@_cdecl("modelkit_check_json")
public func checkJSON(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  if let difference = difference(in: Data(UnsafeBufferPointer(start: bytes, count: count))) {
    // Optimised programs omit the message of a precondition.
    FileHandle.standardError.write(Data((difference + "\n").utf8))
    preconditionFailure("Two paths of reading or writing a document differ.")
  }
}

/// Returns a description of the first failed check of a document; nil if all pass.
public func difference(in document: Data) -> String? {
  do {
    try checkValues(document)
    try checkSplitting(document)
    try checkModels(document)
    try checkColumns(document)
    return nil
  } catch let difference as Difference {
    return difference.message
  } catch {
    return "An unexpected error: \(error)"
  }
}

/// A difference between two paths that should have equal results.
struct Difference: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(Difference) {
  if !condition { throw Difference(message()) }
}
