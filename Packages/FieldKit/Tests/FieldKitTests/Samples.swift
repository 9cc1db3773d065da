/// A value without any conformance.
struct Opaque {
  var number: Int
}

/// A value that can be compared but not hashed.
struct Point: Equatable {
  var x: Double
  var y: Double
}

enum Color: String, CaseIterable {
  case red, green, blue
}

enum Level: Int, CaseIterable {
  case low = 1
  case high = 2
}
