@_spi(ModelKitInternals) import StoreEngine

extension Journal {
  /// The sizes that a journal works with.
  package struct Options: Sendable {
    /// Where a new segment begins, in bytes. A batch is never divided, so a segment can be larger.
    package var segmentSize: UInt64 = 64 << 20

    /// How much room is reserved at a time at the end of a segment, in bytes; 0 reserves none.
    package var preallocation: UInt64 = 1 << 20

    /// How much of the reserved room is filled with zeros together with a short batch that comes to its end, in bytes: the
    /// first write into a block that is merely reserved makes the file system note that, which the next sync waits for.
    package var filling: UInt64 = 64 << 10

    /// How many bytes the journal grows by before another checkpoint is worth its writing.
    package var checkpointInterval: UInt64 = 8 << 20

    /// How many bytes of the journal are of no use any more when it is compacted without being asked, if they are also
    /// more than those that are of use; nil: never.
    package var compactionThreshold: UInt64? = 16 << 20

    package init() {}
  }
}
