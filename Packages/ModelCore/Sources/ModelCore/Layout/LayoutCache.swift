#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Whether layouts that were proven on the first instance of a class are used for the others.
///
/// A switch for diagnosis: with `MODELKIT_LAYOUT_CACHE=off` in the environment of a process every instance of every model
/// class is mirrored when it is made, and fields in variables each time they are asked for. Everything works as before, but
/// slowly. If something works only that way, the layout of a class was taken for proven wrongly.
enum LayoutCache {
  /// Read once.
  static let isOn: Bool = {
    guard let value = getenv("MODELKIT_LAYOUT_CACHE") else { return true }
    return String(cString: value) != "off"
  }()
}
