/// A comparison of this library with one or more peers on the same work.
///
/// ```swift
/// Benchmark(
///   group: "notify", name: "set, no observers", operation: "set",
///   size: 200_000
/// ) { size in
///   [Side("ModelKit") { … }, Side("OpenCombine", goal: 0.9) { … }]
/// }
/// ```
public struct Benchmark {
  /// The topic, by which reports group benchmarks.
  public let group: String
  /// The name, unique in the group.
  public let name: String
  /// The name of one operation, to which times refer.
  public let operation: String
  /// The number of operations in a round.
  public let size: Int
  /// The goal for the first side, in nanoseconds for one operation.
  public let goal: Double?
  /// The maximum number of measured rounds, for rounds that take seconds; nil for the number of the runner.
  public let maximumRounds: Int?
  let sides: (_ size: Int) async throws -> [Side]

  /// Creates a benchmark without running it.
  ///
  /// - Parameters:
  ///   - group: the topic.
  ///   - name: the name of the work.
  ///   - operation: the name of one operation, such as `set`.
  ///   - size: the number of operations in a round.
  ///   - goal: the goal for the first side, in nanoseconds for one operation.
  ///   - maximumRounds: the maximum number of measured rounds, for rounds that take seconds.
  ///   - sides: a function that returns the sides for a number of operations, this library first.
  public init(
    group: String, name: String, operation: String, size: Int, goal: Double? = nil, maximumRounds: Int? = nil,
    sides: @escaping (_ size: Int) async throws -> [Side]
  ) {
    self.group = group
    self.name = name
    self.operation = operation
    self.size = size
    self.goal = goal
    self.maximumRounds = maximumRounds
    self.sides = sides
  }

  /// The group and the name, which filters search.
  public var title: String { "\(group)/\(name)" }

  /// Whether the title contains a text, ignoring case. Nil matches every title.
  public func matches(_ filter: String?) -> Bool {
    guard let filter else { return true }
    return title.lowercased().contains(filter.lowercased())
  }
}
