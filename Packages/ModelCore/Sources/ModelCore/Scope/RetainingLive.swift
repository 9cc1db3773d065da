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

/// Retains objects that may be coming to their end in another thread, as a weak reference does.
enum RetainingLive {
  /// Whether weak references are to be used instead.
  ///
  /// Read once.
  static let isOff: Bool = {
    guard let value = getenv("MODELKIT_REGISTRY") else { return false }
    return String(cString: value) == "weak"
  }()

  /// Retains an object once, unless its deinitialiser has begun.
  ///
  /// - Parameter object: the address of a Swift object whose memory is not freed during the call.
  /// - Returns: the object; nil if it is coming to its end.
  @inline(__always)
  static func tryToRetain(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    modelcore_try_retain(object)
  }
}
