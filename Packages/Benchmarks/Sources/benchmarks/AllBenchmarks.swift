import BenchmarkHarness

/// Every benchmark, in the order in which they run.
enum AllBenchmarks {
  static func list(directory: StoreFolder.Place) -> [Benchmark] {
    SettingBenchmarks.all + GettingBenchmarks.all + LifetimeBenchmarks.all + BindingBenchmarks.all
      + ScalingBenchmarks.all + ReadingBenchmarks.all + WritingBenchmarks.all + StoringBenchmarks.all(in: directory)
      + FindingBenchmarks.all(in: directory)
  }
}
