import CFileSupport

/// The checksum of journal lines: CRC-32C (Castagnoli), reflected, as in iSCSI and RFC 3720.
enum CRC32C {
  /// Eight tables of 256 entries: table `k` moves a byte `k` places further than table 0.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82f6_3b78 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<tables.count {
      let previous = tables[index - 256]
      tables[index] = (previous >> 8) ^ tables[Int(previous & 0xff)]
    }
    return tables
  }()

  /// The number of the first eight bits of each entry of the first table: each is in one entry.
  private static let entriesByFirstByte: [UInt8] = {
    var entries = [UInt8](repeating: 0, count: 256)
    for index in 0..<256 { entries[Int(tables[index] >> 24)] = UInt8(index) }
    return entries
  }()

  /// Returns the checksum of `bytes`.
  ///
  /// - Parameter salt: is covered, too: equal bytes have different checksums with different salts.
  /// - Complexity: O(*n*), eight bytes a step.
  static func checksum(_ bytes: UnsafeRawBufferPointer, salt: UInt32 = 0) -> UInt32 {
    var crc = ~salt
    return filestore_crc32c(bytes.baseAddress, bytes.count, &crc) ? ~crc : checksumByTables(bytes, salt: salt)
  }

  /// Returns the same on a processor that has no instruction for it.
  static func checksumByTables(_ bytes: UnsafeRawBufferPointer, salt: UInt32 = 0) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var crc = ~salt
      var index = 0
      while index + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
        crc = tables[1792 &+ Int(word & 0xff)]
        crc ^= tables[1536 &+ Int((word >> 8) & 0xff)]
        crc ^= tables[1280 &+ Int((word >> 16) & 0xff)]
        crc ^= tables[1024 &+ Int((word >> 24) & 0xff)]
        crc ^= tables[768 &+ Int((word >> 32) & 0xff)]
        crc ^= tables[512 &+ Int((word >> 40) & 0xff)]
        crc ^= tables[256 &+ Int((word >> 48) & 0xff)]
        crc ^= tables[Int(word >> 56)]
        index &+= 8
      }
      while index < bytes.count {
        crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xff)]
        index &+= 1
      }
      return ~crc
    }
  }

  /// Returns the salt with which `bytes` have a checksum.
  static func salt(of bytes: UnsafeRawBufferPointer, with checksum: UInt32) -> UInt32 {
    var crc = ~checksum
    for byte in bytes.reversed() {
      let entry = entriesByFirstByte[Int(crc >> 24)]
      crc = (crc ^ tables[Int(entry)]) << 8 | UInt32(entry ^ byte)
    }
    return ~crc
  }

  /// Returns the index of the bit that was flipped in `count` bytes; nil if it was not exactly one.
  ///
  /// - Parameter difference: The stated and the calculated checksum, combined by exclusive or.
  static func flippedBit(in count: Int, difference: UInt32) -> Int? {
    if difference == 0 { return nil }
    var effects = (0..<8).map { tables[1 << $0] }
    for index in (0..<count).reversed() {
      if let bit = effects.firstIndex(of: difference) { return index * 8 + bit }
      for bit in 0..<8 { effects[bit] = effects[bit] >> 8 ^ tables[Int(effects[bit] & 0xff)] }
    }
    return nil
  }

  /// Returns the length of the shortest beginning of `bytes`, ending where `isEnd` allows it, whose checksum is
  /// `checksum`.
  static func lengthOfPrefix(
    of bytes: UnsafeRawBufferPointer, with checksum: UInt32, salt: UInt32, endingWhere isEnd: (Int) -> Bool
  ) -> Int? {
    tables.withUnsafeBufferPointer { tables in
      var crc = ~salt
      for index in bytes.indices {
        crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xff)]
        if ~crc == checksum, isEnd(index + 1) { return index + 1 }
      }
      return nil
    }
  }
}
