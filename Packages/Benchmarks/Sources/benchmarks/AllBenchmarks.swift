import BenchmarkHarness

/// All benchmarks in the order of a run.
enum AllBenchmarks {
  static func list(directory: StoreFolder.Place) -> [Benchmark] {
    SettingBenchmarks.all + GettingBenchmarks.all + PropertyBenchmarks.all + LifetimeBenchmarks.all
      + BindingBenchmarks.all
      + ScalingBenchmarks.all + ModelBenchmarks.all + RelationBenchmarks.all + ReadingBenchmarks.all
      + WritingBenchmarks.all + NestedBenchmarks.all + ReadingScaleBenchmarks.all + StoringBenchmarks.all(in: directory)
      + LookupBenchmarks.all(in: directory) + QueryBenchmarks.all(in: directory)
      + OpeningBenchmarks.all(in: directory) + MemoryLookupBenchmarks.all + MemoryStoringBenchmarks.all
      + MemoryQueryBenchmarks.all + AggregateBenchmarks.all(in: directory) + InclusionBenchmarks.all(in: directory)
      + EverydayBenchmarks.all(in: directory) + LiveBenchmarks.all + SchemaBenchmarks.all + RESTBenchmarks.all
      + SyncBenchmarks.all(in: directory)
      + postgres(in: directory)
  }
  private static func postgres(in directory: StoreFolder.Place) -> [Benchmark] {
    #if Postgres
      PostgresBenchmarks.all(in: directory)
    #else
      []
    #endif
  }
}
