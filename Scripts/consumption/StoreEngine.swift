// Prints: the record exists

import StoreEngine

do {
  try RecordOperation.create("Person", "1", Array("{}".utf8)).validate(7)
} catch let mismatch as RecordMismatch {
  print("the record \(mismatch.reason)")
}
