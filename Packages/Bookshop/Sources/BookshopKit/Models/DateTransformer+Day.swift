package import ModelKit

extension ValueTransforming where Self == DateTransformer {
  /// Days such as `1775-12-16`. It is made once: to read the format for each field of each model would cost more than to
  /// read the dates.
  package static var day: DateTransformer { sharedDay }
}

private let sharedDay = DateTransformer(format: "yyyy-MM-dd")
