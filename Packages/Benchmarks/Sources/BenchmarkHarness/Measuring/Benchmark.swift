/// A comparison: the same work done by this library and by one or more peers.
///
/// ```swift
/// Benchmark(group: "notify", name: "set, no observers", operation: "set", size: 200_000) { size in
///   [Side("ModelKit") { … }, Side("OpenCombine", goal: 0.9) { … }]
/// }
/// ```
public struct Benchmark {
  /// The topic, under which reports gather benchmarks.
  public let group: String
  /// What is done, different from all others of the group.
  public let name: String
  /// What times are given for: one of these.
  public let operation: String
  /// How many operations a round has.
  public let size: Int
  /// What the first side should not exceed, in nanoseconds for one operation.
  public let goal: Double?
  /// How many rounds are counted at most, where one takes seconds; nil for as many as the runner has.
  public let maximumRounds: Int?
  let sides: (_ size: Int) async throws -> [Side]

  /// Describes a benchmark; nothing is done before it runs.
  ///
  /// - Parameters:
  ///   - group: the topic.
  ///   - name: what is done.
  ///   - operation: what times are given for, such as `set`.
  ///   - size: how many operations a round has.
  ///   - goal: what the first side should not exceed, in nanoseconds for one operation.
  ///   - maximumRounds: how many rounds are counted at most, for rounds that take seconds.
  ///   - sides: makes the sides for a number of operations, this library first.
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

  /// Group and name, as filters see them.
  public var title: String { "\(group)/\(name)" }

  /// Whether the title contains a text, whatever the case. No text is contained in every title.
  public func matches(_ filter: String?) -> Bool {
    guard let filter else { return true }
    return title.lowercased().contains(filter.lowercased())
  }
}
