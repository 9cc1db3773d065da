/// Releases a long chain of objects, such as derived observables, in a loop instead of recursively. Each may hold the
/// last reference to the next. So the stack does not grow with the length of the chain.
@_spi(ModelKitInternals)
public enum ReleaseQueue {
  /// Releases the object of a variable: now, or when the current release on this thread has ended.
  public static func release(_ object: inout AnyObject?) {
    if object == nil { return }
    // Taken without a local variable, which would keep the object until the queue is empty.
    add { $0.append(object.take()) }
  }

  /// Takes the elements of an array, and releases them.
  @usableFromInline
  static func release(_ objects: inout [AnyObject]) {
    if objects.isEmpty { return }
    add { list in
      while !objects.isEmpty { list.append(objects.removeLast()) }
    }
  }

  private static func drop(_: consuming AnyObject?) {}

  private static func add(_ fill: (inout [AnyObject?]) -> Void) {
    if let pointer = ThreadLocal.releases.pointer {
      fill(&pointer.assumingMemoryBound(to: [AnyObject?].self).pointee)
      return
    }
    var list: [AnyObject?] = []
    fill(&list)
    withUnsafeMutablePointer(to: &list) { list in
      ThreadLocal.releases.pointer = UnsafeMutableRawPointer(list)
      // Released when the list is consistent again: a `deinit` may add to it.
      while !list.pointee.isEmpty { drop(list.pointee.removeLast()) }
      ThreadLocal.releases.pointer = nil
    }
  }
}
