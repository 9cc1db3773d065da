import Testing

@Suite struct `A graph of all kinds of relations` {
  /// Ten runs of 2,500 operations. Links are made, cut, moved, replaced and read; identifiers change; models are saved,
  /// reverted, copied, unloaded and released. Both sides, dirty fields, the lifetime of every model and every
  /// notification are compared with the rules.
  ///
  /// A failure names its seed and its step; the seed repeats the run.
  @Test(arguments: TestEffort.seeds(10))
  func `A graph of all kinds of relations follows its rules in any sequence of operations`(seed: UInt64) {
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
