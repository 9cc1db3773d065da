import BenchmarkHarness

/// The work of a user's day. The time includes the release of everything that was made, and the peers are those that a
/// user would choose.
enum EverydayBenchmarks {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    EverydayReading.all(in: place) + EverydayQueries.all + EverydayLists.all(in: place)
      + EverydayLookups.all(in: place) + EverydayStoring.all(in: place) + EverydayModels.all
  }
}
