/// An engine whose positions in the order of creation are those of the commits: once a record is visible, no record of
/// its type with a smaller position becomes visible.
///
/// A database whose transactions overlap often takes a position before the commit, and is no such engine.
public protocol CommitOrderedEngine: RecordEngine {}
