import Foundation
@_spi(ModelKitInternals) import ModelCore
import RESTStore
import StoreProtocol

/// The parameters of a list: `where`, `sort`, `limit`, `offset`, and `after` for the pages after the first.
struct ListParameters<M: Model> {
  private(set) var query: ModelQuery<M>
  private(set) var mark: ModelPageMark?
  private(set) var limit: Int
  private(set) var offset = 0
  private let items: [(name: String, value: String)]

  /// Whether the list has a condition or an order.
  var isQuery: Bool { query.filter != nil || !query.sort.isEmpty }

  private static var names: [String] { ["where", "sort", "limit", "offset", "after"] }

  /// - Parameter followsRelations: whether conditions may be about related records.
  /// - Throws: ``ServiceProblem`` with the status 400 for an unknown parameter, and for a value that can't be read.
  init(_ call: ServiceCall, _ type: M.Type, _ service: RESTService, followsRelations: Bool = true) throws {
    var json: AttributeDictionary = ["type": .string(M.typeName)]
    var seen: Set<String> = []
    limit = service.options.pageSize
    for (name, value) in call.items {
      guard seen.insert(name).inserted else { throw ServiceProblem(400, "The parameter \"\(name)\" occurs twice.") }
      switch name {
      case "where", "sort": json[name] = try Self.json(name, value)
      case "limit": limit = try Self.number(name, value)
      case "offset": offset = try Self.number(name, value)
      case "after": mark = try Self.mark(value)
      default:
        let names = Self.names + [service.fieldsParameter(of: type)].compactMap(\.self)
        throw ServiceProblem(
          400, "The parameter \"\(name.prefix(80))\" is not supported. A list has \(names.joined(separator: ", ")).")
      }
    }
    limit = min(limit, service.options.maximumPageSize)
    items = call.items.filter { $0.name != "after" } + call.fieldItems
    do {
      query = try ModelQuery<M>(json: .object(json))
    } catch let error as ModelStoreError {
      throw ServiceProblem(400, error.message)
    } catch {
      let orders = json["sort"].map { sort in Result { try [JSONValue](json: sort).map(QueryOrder.init(json:)) } }
      throw Self.unreadable((try? orders?.get()) == nil && orders != nil ? "sort" : "where", error)
    }
    let guarded = QueryGuard(service, call.request, followsRelations: followsRelations)
    if let filter = query.filter { try guarded.check(filter, of: type) }
    for sort in query.sort { try guarded.check(sort.order.term.path, of: type) }
  }

  private static func json(_ name: String, _ text: String) throws -> JSONValue {
    do {
      return try JSONValue(json: text)
    } catch { throw unreadable(name, error) }
  }

  private static func unreadable(_ name: String, _ error: any Error) -> ServiceProblem {
    let example = name == "sort" ? #"[{"field":"title"}]"# : #"{"field":"title","is":"==","value":"Emma"}"#
    var reason = "\(error)"
    if reason.hasSuffix(".") { reason.removeLast() }
    return ServiceProblem(400, "The parameter \(name) can't be read: \(reason). It is JSON such as \(example).")
  }

  private static func number(_ name: String, _ text: String) throws -> Int {
    guard let number = Int(text), number >= 0 else {
      throw ServiceProblem(400, "The parameter \(name) is \"\(text.prefix(40))\"; a number from 0 on is expected.")
    }
    return number
  }

  // MARK: Pages

  private static func mark(_ text: String) throws -> ModelPageMark {
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    guard let data = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)),
      let mark = try? JSONDecoder().decode(ModelPageMark.self, from: data)
    else { throw ServiceProblem(400, "The parameter after is not a page mark. Begin with the first page.") }
    return mark
  }

  /// Returns the address of the next page, relative to that of this one.
  func link(after mark: ModelPageMark) throws -> String {
    let encoder = JSONEncoder()
    // An equal page has an equal link, and so an equal tag.
    encoder.outputFormatting = .sortedKeys
    let text = try encoder.encode(mark).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let items = items.map { RESTQueryItem($0.name, $0.value) } + [RESTQueryItem("after", text)]
    return "?" + items.map(\.description).joined(separator: "&")
  }
}
