import CModelRuntime

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// A retain of objects that may be in deallocation in another thread, as a weak reference does it.
enum RetainingLive {
  /// Whether weak references are used instead, read once per process.
  static let isOff: Bool = {
    guard let value = getenv("MODELKIT_REGISTRY") else { return false }
    return String(cString: value) == "weak"
  }()

  /// Retains an object once, unless its deinitialiser has begun.
  ///
  /// - Parameter object: the address of a Swift object whose memory is not freed during the call.
  /// - Returns: the object; nil if it is in deallocation.
  @inline(__always)
  static func tryToRetain(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    modelcore_try_retain(object)
  }
}
