import Testing

@Suite struct `A graph of all kinds of relations` {
  /// Ten runs of 2,500 operations: links that are made, cut, moved, replaced and read, identifiers that change, saves,
  /// reverts, copies, models that are unloaded, and references that are dropped. Both sides, what is dirty, the life of
  /// every model and every call of an observer are compared with the rules.
  ///
  /// A failure names its seed and its step; the seed alone makes the same run again.
  @Test(arguments: TestEffort.seeds(10))
  func `A graph of all kinds of relations keeps its rules whatever is done to it`(seed: UInt64) {
    let run = GraphRun(seed: seed)
    for step in 0..<2_500 {
      if let fault = run.step(checksAll: step % 16 == 0) {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
    #expect(run.end() == 0, "seed \(seed)")
  }
}
