/// The measurements of a benchmark.
public struct BenchmarkResult: Sendable, Encodable {
  /// The topic.
  public let group: String
  /// The name of the work.
  public let name: String
  /// The name of one operation, to which times refer.
  public let operation: String
  /// The number of operations in a round.
  public let size: Int
  /// The goal for the first side, in nanoseconds for one operation.
  public let goal: Double?
  /// The checksum of every side in the last round.
  public let checksum: UInt64
  /// The times of each side, this library first.
  public let sides: [SideResult]

  /// The comparisons of the first side with each of the others.
  public var comparisons: [Comparison] {
    guard let ours = sides.first else { return [] }
    return sides.dropFirst().map { Comparison(ours, $0) }
  }

  private enum CodingKeys: String, CodingKey {
    case group, name, operation, size, goal, checksum, sides, comparisons
  }

  /// Encodes the times and the values derived from them.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(group, forKey: .group)
    try container.encode(name, forKey: .name)
    try container.encode(operation, forKey: .operation)
    try container.encode(size, forKey: .size)
    try container.encodeIfPresent(goal, forKey: .goal)
    // A string, because not every reader of JSON keeps 64 bits.
    try container.encode(String(checksum), forKey: .checksum)
    try container.encode(sides, forKey: .sides)
    try container.encode(comparisons, forKey: .comparisons)
  }
}

/// The times of one side, in nanoseconds for one operation.
public struct SideResult: Sendable, Encodable {
  /// The name in reports.
  public let name: String
  /// The goal for the ratio of the first side's time to the time of this one.
  public let goal: Double?
  /// The times of all rounds, in order.
  public let samples: [Double]
  /// The median time.
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
  /// The goal for the ratio of the medians.
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
