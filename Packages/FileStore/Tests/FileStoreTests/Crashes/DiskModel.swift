@testable import StoreProtocolTesting

/// The content of a disk: every file, by its path, and the directories.
struct DiskImage: Equatable {
  var folders: Set<String> = ["/"]
  var files: [String: [UInt8]] = [:]

  /// Returns a hash that almost certainly differs for different images.
  func fingerprint(with seed: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(seed)
    hasher.combine(folders.count)
    for path in folders.sorted() { hasher.combine(path) }
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      hasher.combine(path)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }

  static func parent(of path: String) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A call that changed something, or brought it to the disk. Files have numbers, since their names can change.
enum DiskOperation {
  case makeFolder(String)
  case makeFile(String, node: Int)
  case rename(from: String, to: String, node: Int)
  case remove(String)
  case write(node: Int, offset: Int, bytes: [UInt8])
  case resize(node: Int, size: Int)
  case synchronize(node: Int)
  case synchronizeFolder(String)

  /// A sync that failed: the system discards the bytes that it could not write, and reports the file clean from then
  /// on.
  case discard(node: Int)
}

/// The fate of everything that had not been brought to the disk when the machine stopped.
enum Loss: CustomStringConvertible {
  case dropped
  case kept
  case onlyNamesKept
  case onlyBytesKept

  /// All was kept, but of the last write only this many bytes were.
  case torn(Int)

  /// Each name, and each block of this many bytes, was kept or not, depending on the seed.
  case shuffled(seed: UInt64, block: Int)

  var description: String {
    switch self {
    case .dropped: "all dropped"
    case .kept: "all kept"
    case .onlyNamesKept: "bytes dropped, names kept"
    case .onlyBytesKept: "bytes kept, names dropped"
    case .torn(let count): "torn after \(count) bytes of the last write"
    case .shuffled(let seed, let block): "blocks of \(block) bytes and names by seed \(seed)"
    }
  }
}

/// A disk and what is on the way to it, call by call.
struct DiskModel {
  private enum Piece {
    case write(offset: Int, bytes: ArraySlice<UInt8>)
    case resize(Int)
  }

  private enum NameChange {
    case folder
    case file(node: Int)
    case rename(from: String, node: Int)
    case removal
  }

  private var folders: Set<String>
  private var names: [String: Int] = [:]
  private var contents: [[UInt8]] = []
  private var pendingNames: [(folder: String, path: String, change: NameChange)] = []
  private var pendingPieces: [Int: [Piece]] = [:]

  /// The file that was written last.
  private var lastWritten = 0

  init(_ image: DiskImage) {
    folders = image.folders
    for (path, bytes) in image.files.sorted(by: { $0.key < $1.key }) {
      names[path] = contents.count
      contents.append(bytes)
    }
  }

  mutating func apply(_ operation: DiskOperation) {
    switch operation {
    case .makeFolder(let path): pendingNames.append((DiskImage.parent(of: path), path, .folder))
    case .makeFile(let path, let node):
      while contents.count <= node { contents.append([]) }
      pendingNames.append((DiskImage.parent(of: path), path, .file(node: node)))
    case .rename(let from, let to, let node):
      pendingNames.append((DiskImage.parent(of: to), to, .rename(from: from, node: node)))
    case .remove(let path): pendingNames.append((DiskImage.parent(of: path), path, .removal))
    case .write(let node, let offset, let bytes):
      pendingPieces[node, default: []].append(.write(offset: offset, bytes: bytes[...]))
      lastWritten = node
    case .resize(let node, let size): pendingPieces[node, default: []].append(.resize(size))
    case .synchronize(let node):
      for piece in pendingPieces.removeValue(forKey: node) ?? [] { Self.apply(piece, to: &contents[node]) }
    case .discard(let node): pendingPieces[node] = nil
    case .synchronizeFolder(let folder):
      for (_, path, change) in pendingNames where DiskImage.parent(of: path) == folder {
        Self.apply(change, path, &names, &folders)
      }
      pendingNames.removeAll { $0.folder == folder }
    }
  }

  func image(after loss: Loss) -> DiskImage {
    var random = RandomSource(seed: 0)
    if case .shuffled(let seed, _) = loss { random = RandomSource(seed: seed) }
    var (names, folders) = (names, folders)
    for (_, path, change) in pendingNames {
      let isKept =
        switch loss {
        case .dropped, .onlyBytesKept: false
        case .kept, .onlyNamesKept, .torn: true
        case .shuffled: random.next() % 2 == 0
        }
      if isKept { Self.apply(change, path, &names, &folders) }
    }
    var image = DiskImage(folders: [])
    // Sorted, a folder comes before what is in it: what is in a lost one is lost.
    for folder in folders.sorted() where folder == "/" || image.folders.contains(DiskImage.parent(of: folder)) {
      image.folders.insert(folder)
    }
    for (path, node) in names.sorted(by: { $0.key < $1.key }) {
      var bytes = contents[node]
      let pieces = pendingPieces[node] ?? []
      for (number, piece) in pieces.enumerated() {
        switch loss {
        case .dropped, .onlyNamesKept: break
        case .kept, .onlyBytesKept: Self.apply(piece, to: &bytes)
        case .torn(let count):
          let isLast = node == lastWritten && number == pieces.count - 1
          Self.apply(isLast ? Self.cut(piece, to: count) : piece, to: &bytes)
        case .shuffled(_, let block):
          for block in Self.blocks(of: piece, size: block) where random.next() % 2 == 0 {
            Self.apply(block, to: &bytes)
          }
        }
      }
      if image.folders.contains(DiskImage.parent(of: path)) { image.files[path] = bytes }
    }
    return image
  }

  private static func apply(
    _ change: NameChange, _ path: String, _ names: inout [String: Int], _ folders: inout Set<String>
  ) {
    switch change {
    case .folder: folders.insert(path)
    case .file(let node): names[path] = node
    case .rename(let from, let node):
      if names[from] == node { names[from] = nil }
      names[path] = node
    case .removal: names[path] = nil
    }
  }

  private static func cut(_ piece: Piece, to count: Int) -> Piece {
    guard case .write(let offset, let bytes) = piece else { return piece }
    return .write(offset: offset, bytes: bytes.prefix(count))
  }

  /// The parts of a write that a disk takes or loses as one.
  private static func blocks(of piece: Piece, size: Int) -> [Piece] {
    guard case .write(let offset, let bytes) = piece else { return [piece] }
    var blocks: [Piece] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, ((offset + start) / size + 1) * size - offset)
      blocks.append(.write(offset: offset + start, bytes: bytes[bytes.startIndex + start..<bytes.startIndex + end]))
      start = end
    }
    return blocks
  }

  private static func apply(_ piece: Piece, to content: inout [UInt8]) {
    switch piece {
    case .write(let offset, let bytes): content.put(bytes, at: offset)
    case .resize(let size): content.resize(to: size)
    }
  }
}

extension [UInt8] {
  mutating func resize(to size: Int) {
    if size < count {
      removeLast(count - size)
    } else if size > count {
      append(contentsOf: [UInt8](repeating: 0, count: size - count))
    }
  }

  /// Writes bytes over what is there, and behind it.
  mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
    if count < offset + bytes.count { resize(to: offset + bytes.count) }
    withUnsafeMutableBytes { target in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: $0) }
    }
  }
}
