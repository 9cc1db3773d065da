/// The peers of the benchmarks. The versions are those pinned in Package.swift.
enum PeerVersions {
  static let all = [
    "OpenCombine": "0.14.0",
    "GRDB": "7.10.0 on SQLite \(GRDBPersons.sqliteVersion)",
  ]

  static var summary: String {
    all.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}
