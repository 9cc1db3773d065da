@_spi(ModelKitInternals) import FieldKit
import ModelCore

/// A company and its people; the side on which a link was made retains.
final class Workplace: Model {
  let id = Field<String>()
  let name = Field<String>().require(.notBlank)
  let employees = ModelField<StaffMember>()*
  let tags = Field<String>()*
  override var identifierField: AnyField? { id }

  convenience init(id: String? = nil, name: String, employees: [StaffMember] = []) {
    self.init()
    if let id { self.id.value = id }
    self.name.value = name
    if !employees.isEmpty { self.employees.value = employees }
  }
}

final class StaffMember: Model {
  let id = Field<Int>()
  let name = Field<String>().require(.notBlank)
  let firm = ModelField<Workplace>(inverse: \.employees)
  let desk = ModelField<WorkDesk>()
  override var identifierField: AnyField? { id }

  convenience init(id: Int? = nil, name: String) {
    self.init()
    if let id { self.id.value = id }
    self.name.value = name
  }
}

final class WorkDesk: Model {
  let place = Field<String>()
  let label = Field<String>(key: "label.text")

  convenience init(place: String) {
    self.init()
    self.place.value = place
  }
}

/// A path with many steps.
final class ChainLink: Model {
  let name = Field<String>()
  let next = ModelField<ChainLink>()

  static func chain(_ count: Int) -> [ChainLink] {
    let links = (0..<count).map { _ in ChainLink() }
    for (link, next) in zip(links, links.dropFirst()) { link.next.value = next }
    return links
  }
}

/// The issues reported to `ModelIssue.handler`. Tests run in parallel, so each filters by a path of its own.
enum ReportedIssues {
  private static let texts: Lock<[String]> = {
    ModelIssue.handler = { issue in
      let text = issue.description
      texts.withLock { $0.append(text) }
    }
    return Lock([])
  }()

  /// Returns the issues whose text contains another one, reported while `body` runs.
  static func about(_ part: String, during body: () -> Void) -> [String] {
    let before = texts.withLock { $0 }.count { $0.contains(part) }
    body()
    return Array(texts.withLock { $0 }.filter { $0.contains(part) }.dropFirst(before))
  }
}
