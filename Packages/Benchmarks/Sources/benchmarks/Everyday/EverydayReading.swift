import BenchmarkHarness
import Foundation
import ModelCore

/// Reading of a JSON document as a user does it. The release of the people is timed.
enum EverydayReading {
  static func all(in place: StoreFolder.Place) -> [Benchmark] {
    [
      warm, first("first read of a process", in: place, others: false),
      first("first read of a process, 100,000 others live", in: place, others: true),
    ]
  }

  private static var warm: Benchmark {
    Benchmark(group: "everyday", name: "JSON to models", operation: "person", size: 100_000) { size in
      let data = EverydayDocument.json(identifiers: 0..<size)
      return [
        Side("ModelKit") { round in
          let people = try Person.list(fromJSON: data)
          return round == 0 ? Person.checksum(people) : Person.sum(people)
        },
        Side("JSONDecoder, structs without optionals", goal: 0.33) { round in
          let people = try JSONDecoder().decode([PersonRecord].self, from: data)
          return round == 0 ? PersonRecord.checksum(people) : PersonRecord.sum(people)
        },
      ]
    }
  }

  private static func first(_ name: String, in place: StoreFolder.Place, others: Bool) -> Benchmark {
    Benchmark(
      group: "everyday", name: "JSON to models, \(name)", operation: "person", size: 100_000
    ) { size in
      let folder = try StoreFolder(in: place)
      try EverydayDocument.json(identifiers: 0..<size).write(to: folder.url.appending(path: FirstRun.document))
      let others = others ? size : 0
      return [
        FirstRun.readModels.side(
          "ModelKit", in: folder.url, count: size, others: others, finish: { folder.remove() }),
        FirstRun.readStructs.side(
          "JSONDecoder, structs without optionals", goal: 0.4, in: folder.url, count: size, others: others),
      ]
    }
  }
}
