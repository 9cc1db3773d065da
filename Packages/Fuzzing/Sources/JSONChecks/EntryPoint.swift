public import Foundation

/// Checks one input, and ends the process with a message if something is wrong.
@_cdecl("modelkit_check_json")
public func checkJSON(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
  if let difference = difference(in: Data(UnsafeBufferPointer(start: bytes, count: count))) {
    // Optimised programs keep the message of a precondition to themselves.
    FileHandle.standardError.write(Data((difference + "\n").utf8))
    preconditionFailure("Two ways to read or write a document don't lead to the same.")
  }
}

/// What is wrong about the reading and writing of a document; nil if nothing is.
public func difference(in document: Data) -> String? {
  do {
    try checkValues(document)
    try checkSplitting(document)
    try checkModels(document)
    return nil
  } catch let difference as Difference {
    return difference.message
  } catch {
    return "An error where there should be none: \(error)"
  }
}

/// Two ways that should lead to the same did not.
struct Difference: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(Difference) {
  if !condition { throw Difference(message()) }
}
