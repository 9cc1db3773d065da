import FieldKit

/// Returns the code of the error that a closure throws; nil if it throws none, or one of another type.
func refusal(_ body: () throws -> Void) -> FieldError.Code? {
  do { try body() } catch { return (error as? FieldError)?.code }
  return nil
}
