public import StoreProtocol

/// An encoder that writes a JSON value as parameters: objects as `a[b]=v`, lists as `a[0]=v`, joined by `&`, in the
/// order of the keys.
///
/// ```swift
/// let encoder = ParameterEncoder()
/// print(encoder.encode(["people": [["name": "Bob", "age": 65]]]))
/// // people[0][age]=65&people[0][name]=Bob
/// ```
///
/// An empty list or object writes nothing. ``lists`` has other forms of lists. Booleans are `true` and `false`. For
/// another spelling of values, such as `1` and `0`, replace them in the JSON value before you encode it.
public struct ParameterEncoder: Sendable, Hashable {
  /// A form of lists.
  public enum ListStyle: Sendable, Hashable {
    /// Each element has its index: `a[0]=1&a[1]=2`.
    case indexed
    /// Each element has empty brackets: `a[]=1&a[]=2`.
    case bracketed
    /// Each element repeats the name: `a=1&a=2`.
    case repeated
    /// One value has all elements: `a=1,2`. Lists with lists, objects, or commas in their elements are indexed, because
    /// a server could not read them.
    case commaSeparated
  }

  /// The form of lists. A list without name is indexed in any case. Lists of lists or objects should be, too: in the
  /// other forms, servers guess which values are of one element.
  public var lists: ListStyle
  /// Whether values and the keys in names are percent-encoded, so that `&`, `=`, `+` and blanks in them are not read as
  /// syntax. Turn it off only for text that is already encoded.
  public var escapes: Bool
  /// Whether `null` is written, as ``nullText``. Otherwise it is omitted. In a list it is always written, so that the
  /// elements after it keep their index.
  public var includesNull: Bool
  /// The text that stands for `null`.
  public var nullText: String

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - escapes: whether names and values are percent-encoded.
  ///   - includesNull: whether `null` is written.
  ///   - nullText: the text that represents `null`.
  ///   - lists: the form of lists.
  public init(
    escapes: Bool = true, includesNull: Bool = false, nullText: String = "", lists: ListStyle = .indexed
  ) {
    self.lists = lists
    self.escapes = escapes
    self.includesNull = includesNull
    self.nullText = nullText
  }

  /// Returns the parameters as one text. An element of a list at the top is named by its bare index; a scalar at the
  /// top is just its value.
  ///
  /// - Parameters:
  ///   - value: the value to write.
  ///   - prefix: the name around it; empty for none.
  public func encode(_ value: JSONValue, prefix: String = "") -> String {
    if prefix.isEmpty, !Self.isContainer(value) { return value.isNull ? nullText : escaped(Self.text(value)) }
    return items(value, prefix: prefix).map { "\(escapedName($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  /// Returns the parameters one by one, not percent-encoded.
  ///
  /// - Parameters:
  ///   - value: the value to write.
  ///   - prefix: the name around it; empty for none.
  public func items(_ value: JSONValue, prefix: String = "") -> [RESTQueryItem] {
    var items: [RESTQueryItem] = []
    add(value, named: prefix, isElement: false, to: &items)
    return items
  }

  private func add(_ value: JSONValue, named name: String, isElement: Bool, to items: inout [RESTQueryItem]) {
    func inner(_ key: String) -> String { name.isEmpty ? key : "\(name)[\(key)]" }
    switch value {
    case .object(let members):
      for (key, member) in members.sorted(by: { $0.key < $1.key }) {
        add(member, named: inner(key), isElement: false, to: &items)
      }
    case .array(let elements):
      if lists == .commaSeparated, !name.isEmpty, !elements.isEmpty, let joined = joined(elements) {
        return items.append(RESTQueryItem(name, joined))
      }
      for (index, element) in elements.enumerated() {
        let elementName =
          switch lists {
          case .bracketed where !name.isEmpty: inner("")
          case .repeated where !name.isEmpty: name
          default: inner(String(index))
          }
        add(element, named: elementName, isElement: true, to: &items)
      }
    case .null:
      if includesNull || isElement { items.append(RESTQueryItem(name, nullText)) }
    default: items.append(RESTQueryItem(name, Self.text(value)))
    }
  }

  /// Returns elements as one value; nil if a server could not separate them again.
  private func joined(_ elements: [JSONValue]) -> String? {
    let texts = elements.map { $0.isNull ? nullText : Self.text($0) }
    guard !elements.contains(where: Self.isContainer), !texts.contains(where: { $0.contains(",") }) else { return nil }
    return texts.joined(separator: ",")
  }

  private static func isContainer(_ value: JSONValue) -> Bool {
    switch value {
    case .object, .array: true
    default: false
    }
  }

  /// Returns a scalar as text: texts without quotes, numbers and booleans as in JSON.
  static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { return text }
    return value.description
  }

  private func escaped(_ text: String) -> String { escapes ? PathComponent.percentEncoded(text) : text }

  /// Returns a percent-encoded name that keeps its brackets, because servers parse them.
  private func escapedName(_ name: String) -> String {
    guard escapes else { return name }
    return name.split(omittingEmptySubsequences: false) { $0 == "[" }
      .map { part in
        part.split(omittingEmptySubsequences: false) { $0 == "]" }
          .map { PathComponent.percentEncoded(String($0)) }.joined(separator: "]")
      }.joined(separator: "[")
  }
}
