@_spi(ModelKitInternals) import FieldKit

/// A reader of the elements of a stream into models. Each element is read atomically.
final class StreamedElementReader<Element: Model> {
  private let scope: ModelScope?
  private let maximumDepth: Int
  /// The readers that convert bytes directly into models, created once per class.
  private var readers: [ObjectIdentifier: DirectClassReader] = [:]

  init(in scope: ModelScope?, options: JSONReadingOptions) {
    self.scope = scope
    maximumDepth = min(options.maximumDepth, JSONReadingOptions.maximumTreeDepth)
  }

  // Readers of related classes reference each other.
  deinit { for reader in readers.values { reader.rest() } }

  /// Returns the model of one element, whose syntax was checked.
  ///
  /// - Parameters:
  ///   - depth: the number of enclosing arrays and objects.
  ///   - path: the path of the element in the document, for errors.
  func model(from bytes: UnsafeRawBufferPointer, depth: Int, at path: @autoclosure () -> FieldPath) throws -> Element {
    if let model = directModel(from: bytes, depth: depth) { return model }
    var scanner = JSONScanner(bytes, offset: 0, depth: depth, maximumDepth: maximumDepth)
    let json = try scanner.readValue()
    guard case .object(let dictionary) = json else { throw ValueTransformError(expected: "an object", found: json) }
    let reader = ModelReader(scope: scope)
    let staged = try reader.inside(path()) { try reader.stage(dictionary, as: Element.self) }
    return reader.apply([staged])[0]
  }

  /// Returns the model; nil if it needs the tree path. Nothing was changed then.
  private func directModel(from bytes: UnsafeRawBufferPointer, depth: Int) -> Element? {
    let reader = ModelReader(scope: scope)
    let direct = DirectReading(reader, bytes, maximumDepth, readers)
    defer { readers = direct.readers }
    let root = direct.reader(of: Element.self)
    guard root.plan != nil else { return nil }
    do {
      var scanner = JSONScanner(bytes, offset: 0, depth: depth, maximumDepth: maximumDepth)
      if let model = try direct.readUnchanged(&scanner, root) as? Element {
        direct.apply()
        return model
      }
      let node = try direct.readNode(&scanner, root, level: 0)
      guard let model = try direct.resolve(node, root, isForeignKey: nil) as? Element, !reader.hasReplacedReference
      else {
        return nil
      }
      direct.apply()
      return model
    } catch {
      return nil
    }
  }
}
