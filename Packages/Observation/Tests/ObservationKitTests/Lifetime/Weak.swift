/// A reference that can be kept in a list.
final class Weak {
  private(set) weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}
