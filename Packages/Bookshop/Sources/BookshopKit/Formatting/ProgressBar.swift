package import ModelKit

/// A line that shows the progress of an operation and is erased at its end.
///
/// ```swift
/// let bar = ProgressBar("Importing") { print($0, terminator: "") }
/// shop.progress --> bar
/// ```
package final class ProgressBar: ValueObserver {
  private let label: String
  private let write: (String) -> Void
  private var shownPercent: Int?
  private var shownWidth = 0

  /// Creates a bar.
  ///
  /// - Parameters:
  ///   - label: the name of the operation.
  ///   - write: the function that writes text to the terminal unchanged.
  package init(_ label: String, write: @escaping (String) -> Void) {
    self.label = label
    self.write = write
  }

  package func valueChanged(
    from oldValue: ShopProgress, to progress: ShopProgress, observable: any ValueObservable<ShopProgress>
  ) {
    guard progress.total > 0 else { return }
    if progress.done >= progress.total { return clear() }
    let percent = progress.done * 100 / progress.total
    guard percent != shownPercent else { return }
    shownPercent = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    let books = progress.books > 0 ? "  \(progress.books) books" : ""
    show("\(label) [\(bar)] \(percent) %\(books)")
  }

  /// Erases the line, even after an operation that failed.
  package func clear() {
    guard shownWidth > 0 else { return }
    show("")
    write("\r")
    shownWidth = 0
    shownPercent = nil
  }

  private func show(_ line: String) {
    write("\r" + line + String(repeating: " ", count: max(0, shownWidth - line.count)))
    shownWidth = line.count
  }
}
