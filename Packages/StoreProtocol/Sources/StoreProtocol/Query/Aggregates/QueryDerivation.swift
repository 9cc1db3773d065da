@_spi(ModelKitInternals) public import FieldKit
public import Foundation

/// A value that is calculated from that of a stored field, such as the month of a date.
final class QueryDerivation<Value> {
  /// The path of the stored field.
  let path: QueryPath
  private let calculate: (JSONValue, ValueTransformerContext) throws -> Value?

  init<Stored>(_ column: QueryColumn<Stored>, _ calculate: @escaping (Stored) -> Value?) {
    path = column.storedPath
    self.calculate = { json, context in try column.value(of: json, in: context).flatMap(calculate) }
  }

  init(path: QueryPath, _ calculate: @escaping (JSONValue, ValueTransformerContext) throws -> Value?) {
    self.path = path
    self.calculate = calculate
  }

  func value(of json: JSONValue, in context: ValueTransformerContext) throws -> Value? { try calculate(json, context) }
}

extension QueryColumn<Int> {
  /// Creates a column of the numbers of elements of a list.
  ///
  /// - Parameter count: returns the number of elements of a stored list; nil where records lack the list.
  init(countOf path: QueryPath, _ count: ((JSONValue, ValueTransformerContext) throws -> Int)?) {
    let derivation = QueryDerivation<Int>(path: path) { json, context in
      if json.isNull, count != nil { return 0 }
      guard let count else {
        throw ModelStoreError(
          .unsupported,
          """
          The number of models of the relation \("\(path)".quotedForMessage) can only be part of a condition or a sort, \
          not of values, groups or aggregates. Count the related models in groups by their relation to the model.
          """)
      }
      return try count(json, context)
    }
    self.init(field: Field(), term: QueryTerm(path, form: .count), derivation: derivation)
  }
}

extension QueryColumn {
  /// Returns a column that is calculated from this one. Its name is not that of a field, so a condition on it is
  /// rejected.
  func deriving<Derived>(_ name: String, _ calculate: @escaping (Value) -> Derived?) -> QueryColumn<Derived> {
    QueryColumn<Derived>(
      field: Field(), term: QueryTerm(term.path.appending(name)), derivation: QueryDerivation(self, calculate))
  }
}

// Keys of groups. Conditions about periods compare the column with the ends of the period.
extension QueryColumn where Value == Date {
  /// Returns the day of the date, as a key of groups.
  ///
  /// ```swift
  /// let perDay = try await store.groups(
  ///   Book.self, by: { $0.updatedAt.day(in: .current) }
  /// ) { $0.count }
  /// ```
  ///
  /// - Parameter calendar: the calendar, whose time zone determines the day.
  public func day(in calendar: Calendar) -> QueryColumn<Day> {
    deriving("day", CalendarPeriods(.day, calendar).firstDay)
  }

  /// Returns the first day of the week of the date, as a key of groups.
  ///
  /// - Parameter calendar: the calendar, which determines the time zone and the first day of a week.
  public func week(in calendar: Calendar) -> QueryColumn<Day> {
    deriving("week", CalendarPeriods(.weekOfYear, calendar).firstDay)
  }

  /// Returns the first day of the month of the date, as a key of groups.
  ///
  /// - Parameter calendar: the calendar, whose time zone determines the day.
  public func month(in calendar: Calendar) -> QueryColumn<Day> {
    deriving("month", CalendarPeriods(.month, calendar).firstDay)
  }

  /// Returns the year of the date, as a key of groups.
  ///
  /// - Parameter calendar: the calendar, which also numbers the years.
  public func year(in calendar: Calendar) -> QueryColumn<Int> {
    deriving("year", CalendarPeriods(.year, calendar).year)
  }
}

extension QueryColumn where Value == Day {
  /// The first day of the week, as a key of groups: a Monday, as in ISO 8601.
  public var week: QueryColumn<Day> { deriving("week") { $0.adding(days: 1 - $0.weekday) } }

  /// The first day of the month, as a key of groups.
  public var month: QueryColumn<Day> { deriving("month") { $0.adding(days: 1 - $0.day) } }

  /// The year, as a key of groups.
  public var year: QueryColumn<Int> { deriving("year") { $0.year } }
}

/// The calendar periods of dates. Each period is computed once, because a calendar takes microseconds for it.
private final class CalendarPeriods {
  private struct Period {
    let interval: DateInterval
    /// Nil in the year 10,000, of which a time zone can have the last hours of 9999.
    let firstDay: Day?
    let year: Int
  }

  private let component: Calendar.Component
  private let calendar: Calendar
  private let gregorian: Calendar
  /// The periods, by UTC day.
  private var known: [Int: [Period]] = [:]

  init(_ component: Calendar.Component, _ calendar: Calendar) {
    self.component = component
    self.calendar = calendar
    var gregorian = Calendar(identifier: .gregorian)
    gregorian.timeZone = calendar.timeZone
    self.gregorian = gregorian
  }

  func firstDay(_ date: Date) -> Day? { period(date)?.firstDay }

  func year(_ date: Date) -> Int? { period(date)?.year }

  private func period(_ date: Date) -> Period? {
    let seconds = date.timeIntervalSince1970 / 86_400
    guard abs(seconds) < 1e9 else { return nil }
    let number = Int(seconds.rounded(.down))
    if let period = known[number]?.first(where: { $0.interval.start <= date && date < $0.interval.end }) {
      return period
    }
    guard let interval = calendar.dateInterval(of: component, for: date) else { return nil }
    let parts = gregorian.dateComponents([.year, .month, .day], from: interval.start)
    guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
    let period = Period(
      interval: interval, firstDay: Day(year: year, month: month, day: day),
      year: calendar.component(.year, from: interval.start))
    known[number, default: []].append(period)
    return period
  }
}
