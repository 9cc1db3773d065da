/// What a benchmark measured.
public struct BenchmarkResult: Sendable, Encodable {
  /// The topic.
  public let group: String
  /// What was done.
  public let name: String
  /// What times are given for.
  public let operation: String
  /// How many operations a round had.
  public let size: Int
  /// What the first side should not exceed, in nanoseconds for one operation.
  public let goal: Double?
  /// What every side computed in the last round.
  public let checksum: UInt64
  /// The times of each side, this library first.
  public let sides: [SideResult]

  /// How the first side compares with each of the others.
  public var comparisons: [Comparison] {
    guard let ours = sides.first else { return [] }
    return sides.dropFirst().map { Comparison(ours, $0) }
  }

  private enum CodingKeys: String, CodingKey {
    case group, name, operation, size, goal, checksum, sides, comparisons
  }

  /// Writes the times and what follows from them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(group, forKey: .group)
    try container.encode(name, forKey: .name)
    try container.encode(operation, forKey: .operation)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(goal, forKey: .goal)
    // As text: not every reader of JSON keeps 64 bits.
    try container.encode(String(checksum), forKey: .checksum)
    try container.encode(sides, forKey: .sides)
    try container.encode(comparisons, forKey: .comparisons)
  }
}

/// The times of one side, in nanoseconds for one operation.
public struct SideResult: Sendable, Encodable {
  /// What it is called in reports.
  public let name: String
  /// What the time of the first side divided by the time of this one should not exceed.
  public let goal: Double?
  /// The times of all rounds, in order.
  public let samples: [Double]
  /// The time in the middle: half of the rounds were slower.
  public let median: Double
  /// The time of the fastest round.
  public let minimum: Double

  init(name: String, goal: Double?, samples: [Double]) {
    self.name = name
    self.goal = goal
    self.samples = samples
    median = Statistics.median(of: samples)
    minimum = samples.min() ?? .nan
  }
}

/// The time of this library divided by that of a peer: below 1 this library is faster.
public struct Comparison: Sendable, Encodable {
  /// The peer.
  public let peer: String
  /// The ratio of the medians.
  public let ratio: Double
  /// The smallest ratio of two times of one round.
  public let smallest: Double
  /// The largest ratio of two times of one round.
  public let largest: Double
  /// What the ratio of the medians should not exceed.
  public let goal: Double?

  init(_ ours: SideResult, _ peer: SideResult) {
    self.peer = peer.name
    goal = peer.goal
    ratio = ours.median / peer.median
    let pairs = zip(ours.samples, peer.samples).map { $0 / $1 }
    smallest = pairs.min() ?? .nan
    largest = pairs.max() ?? .nan
  }
}
