@_spi(ModelKitInternals) import StoreEngine

extension Journal {
  /// The sizes that a journal uses.
  package struct Options: Sendable {
    /// The size in bytes after which a new segment begins. A batch is never split, so a segment can be larger.
    package var segmentSize: UInt64 = 64 << 20

    /// The number of bytes that are preallocated at a time at the end of a segment; 0 for none.
    package var preallocation: UInt64 = 1 << 20

    /// The number of preallocated bytes that are filled with zeros when a short batch reaches their start. The first
    /// write into a preallocated block makes the file system record that, and the next sync waits for it.
    package var filling: UInt64 = 64 << 10

    /// The number of bytes by which the journal grows before another checkpoint is written.
    package var checkpointInterval: UInt64 = 8 << 20

    /// The number of obsolete bytes at which the journal is compacted in the background, if they also outnumber the
    /// bytes in use; nil: never.
    package var compactionThreshold: UInt64? = 16 << 20

    package init() {}
  }
}
