import Foundation
import MemoryStore
import Testing

@Suite struct `Groups by periods` {
  final class Entry: Model {
    let id = Field<Int>()
    let moment = Field<Date>()
    let day = Field<Day>()
    override var identifierField: AnyField? { id }
  }

  private func calendar(_ zone: String, firstWeekday: Int = 2) throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    calendar.firstWeekday = firstWeekday
    return calendar
  }

  /// Entries around changes of the clock, of months and of years.
  private func makeStore(_ count: Int) async throws -> (store: MemoryModelStore, moments: [Date]) {
    let store = MemoryModelStore()
    var moments: [Date] = []
    var seconds = 1_700_000_000.0
    for number in 0..<count {
      seconds += Double(number * 7_919 % 200_000)
      let entry = Entry()
      let moment = Date(timeIntervalSince1970: seconds)
      entry.moment.value = moment
      entry.day.value = Day(daysSince1970: Int(seconds / 86_400))
      moments.append(moment)
      try await store.create(entry)
    }
    return (store, moments)
  }

  @Test(arguments: ["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Auckland"])
  func `Moments are grouped by the day, week, month and year of a calendar`(zone: String) async throws {
    let calendar = try calendar(zone)
    let (store, moments) = try await makeStore(600)
    func expected(_ component: Calendar.Component) -> [Date: Int] {
      Dictionary(grouping: moments) { calendar.dateInterval(of: component, for: $0)?.start ?? $0 }
        .mapValues(\.count)
    }
    func start(_ day: Day) throws -> Date {
      try #require(calendar.date(from: DateComponents(year: day.year, month: day.month, day: day.day)))
    }
    func found(_ groups: [(key: Day?, values: Int)]) throws -> [Date: Int] {
      var counts: [Date: Int] = [:]
      for (key, count) in groups {
        // The first moment of a day is not midnight where the clock skips it.
        let day = try start(#require(key))
        counts[calendar.dateInterval(of: .day, for: day)?.start ?? day] = count
      }
      return counts
    }
    let days = try await store.groups(Entry.self, by: { $0.moment.day(in: calendar) }) { $0.count }
    #expect(try found(days) == expected(.day))
    let weeks = try await store.groups(Entry.self, by: { $0.moment.week(in: calendar) }) { $0.count }
    #expect(try found(weeks) == expected(.weekOfYear))
    let months = try await store.groups(Entry.self, by: { $0.moment.month(in: calendar) }) { $0.count }
    #expect(try found(months) == expected(.month))
    let years = try await store.groups(Entry.self, by: { $0.moment.year(in: calendar) }) { $0.count }
    let plain = Dictionary(grouping: moments) { calendar.component(.year, from: $0) }.mapValues(\.count)
    #expect(Dictionary(uniqueKeysWithValues: years.map { ($0.key ?? 0, $0.values) }) == plain)
  }

  @Test func `A moment that a time zone has in the year 10,000 has that year and no month`() async throws {
    let calendar = try calendar("Europe/Berlin")
    let store = MemoryModelStore()
    let entry = Entry()
    entry.moment.value = Date(timeIntervalSince1970: 253_402_298_000)
    try await store.create(entry)
    let years = try await store.groups(Entry.self, by: { $0.moment.year(in: calendar) }) { $0.count }
    #expect(years.map(\.key) == [10_000])
    let months = try await store.groups(Entry.self, by: { $0.moment.month(in: calendar) }) { $0.count }
    #expect(months.map(\.key) == [nil])
  }

  @Test func `Days are grouped by their week, month and year`() async throws {
    let (store, moments) = try await makeStore(300)
    let days = moments.map { Day(daysSince1970: Int($0.timeIntervalSince1970 / 86_400)) }
    let months = try await store.groups(Entry.self, by: { ($0.day.year, $0.day.month) }) { $0.count }
    let plain = Dictionary(grouping: days) { Day($0.year, $0.month, 1) }.mapValues(\.count)
    var isRight = months.count == plain.count
    for (key, count) in months {
      isRight = isRight && key.1.map { plain[$0] == count && $0.year == key.0 } == true
    }
    #expect(isRight)
    let weeks = try await store.groups(Entry.self, by: { $0.day.week }) { $0.count }
    let isMonday = weeks.allSatisfy { $0.key?.weekday == 1 }
    #expect(isMonday)
    let total = weeks.map(\.values).reduce(0, +)
    #expect(total == 300)
  }

  @Test func `A condition about a period is rejected with the condition to use instead`() async throws {
    let (store, _) = try await makeStore(3)
    let error = await #expect(throws: ModelStoreError.self) {
      _ = try await store.list(Entry.self, where: { $0.day.month == Day(2026, 1, 1) })
    }
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("Compare day with the first and the last day of the month") == true)
  }

  @Test func `Repeated aggregates and lists follow every write`() async throws {
    let store = MemoryModelStore()
    var values: [Int: Int] = [:]
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    let midnight = Date(timeIntervalSince1970: 0)
    for round in 0..<120 {
      let number = random(40)
      if values[number] != nil, random(2) == 0 {
        let entry = try store.lookupImmediately(Entry.self, identifier: "\(number)")
        if random(3) == 0 {
          _ = try await store.delete(entry)
          values[number] = nil
        } else {
          values[number] = random(9)
          entry.day.value = values[number].map { Day(daysSince1970: $0) }
          try await store.save(entry)
        }
      } else if values[number] == nil {
        let entry = Entry()
        entry.id.value = number
        entry.moment.value = midnight
        values[number] = random(9)
        entry.day.value = values[number].map { Day(daysSince1970: $0) }
        try await store.create(entry)
      }
      for _ in 0..<3 {
        let bound = Day(daysSince1970: 4)
        let sum = try await store.sum(Entry.self, of: \.id, where: { $0.day > bound && $0.id < 30 })
        let found = values.filter { $0.value > 4 && $0.key < 30 }.keys
        #expect(sum ?? 0 == found.reduce(0, +), "round \(round)")
        let listed = try await store.list(Entry.self, where: { $0.day > bound && $0.id < 30 }).compactMap(\.id.value)
        #expect(listed.sorted() == found.sorted(), "round \(round)")
        let groups = try await store.groups(Entry.self, by: { $0.day }) { ($0.count, $0.sum(\.id)) }
        let plain = Dictionary(grouping: values.keys) { values[$0] ?? -1 }
        for (key, (count, total)) in groups {
          let members = plain[key?.daysSince1970 ?? -1] ?? []
          #expect(count == members.count)
          #expect(total == members.reduce(0, +))
        }
        #expect(groups.count == plain.count)
      }
    }
  }
}
