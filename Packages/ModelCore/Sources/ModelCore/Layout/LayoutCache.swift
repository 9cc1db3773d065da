#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Whether layouts proven on the first instance of a class are used for the others.
///
/// This is a switch for diagnosis: set `MODELKIT_LAYOUT_CACHE=off` in the environment of a process. Every instance of
/// every model class is then mirrored when it is created, and fields in variables on each access. Everything works as
/// before, but slowly. If a problem disappears this way, the layout of a class was verified wrongly.
enum LayoutCache {
  /// Read once per process.
  static let isOn: Bool = {
    guard let value = getenv("MODELKIT_LAYOUT_CACHE") else { return true }
    return String(cString: value) != "off"
  }()
}
