import Foundation

/// A JSON document as servers send it: every person has its keys in another order, and heights have long fractions.
enum EverydayDocument {
  static func json(identifiers: Range<Int>) -> Data {
    var random = SplitMix(state: 26)
    var data = Data("[".utf8)
    for record in PersonRecord.samples(identifiers: identifiers) {
      if data.count > 1 { data.append(UInt8(ascii: ",")) }
      let height = record.height + Double.random(in: 0..<0.01, using: &random)
      // No text of the samples needs an escape.
      let members = [
        #""id":\#(record.id)"#, #""name":"\#(record.name)""#, #""email":"\#(record.email)""#, #""age":\#(record.age)"#,
        #""height":\#(height)"#, #""isActive":\#(record.isActive)"#, #""city":"\#(record.city)""#,
        #""phone":"\#(record.phone)""#, #""score":\#(record.score)"#,
        #""tags":["\#(record.tags.joined(separator: #"",""#))"]"#,
      ]
      data.append(Data("{\(members.shuffled(using: &random).joined(separator: ","))}".utf8))
    }
    data.append(UInt8(ascii: "]"))
    return data
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
    return bits ^ bits >> 31
  }
}
