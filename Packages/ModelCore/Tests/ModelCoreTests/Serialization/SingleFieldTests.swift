import ModelCore
import Testing

private final class Firm: Model {
  let id = Field<Int>()
  let name = Field<String>()
  let people: ModelArrayField<Worker> = ModelField(inverse: \.firm)*
  override var identifierField: AnyField? { id }
}

private final class Worker: Model {
  let id = Field<Int>()
  let fullName = Field<String>()
  let firmName = Field<String>(key: "employer.name")
  let employer = ModelField<Firm>(foreignKey: true)
  let firm = ModelField<Firm>()
  override var identifierField: AnyField? { id }
}

private final class ReversedWorker: Model {
  let employer = ModelField<Firm>(foreignKey: true)
  let firmName = Field<String>(key: "employer.name")
}

@Suite struct `One field of a model` {
  @Test func `A relation keeps its value when a related model does not fit, and the error has the path`() throws {
    let firm = Firm()
    firm.name.value = "A"
    let worker = Worker()
    worker.firm.value = firm
    let error = #expect(throws: ModelDecodingError.self) {
      try worker.firm.read(from: ["firm": ["name": "B", "people": [["id": 1], ["id": "x"]]]])
    }
    #expect(error?.path == "firm.people[1].id")
    #expect(worker.firm.value === firm)
    #expect(firm.name.value == "A")
  }

  @Test func `One field of a model that is a relation is read with all that is nested in it`() throws {
    let worker = Worker()
    try worker.firm.read(from: ["firm": ["id": 1, "name": "A"]])
    #expect(worker.firm.value?.name.value == "A")
    #expect(worker.firm.value?.people.value?.first === worker)
    let firm = Firm()
    try firm.people.read(from: ["people": [["id": 1, "fullName": "Ann"], ["id": 2]]])
    #expect(firm.people.value?.map(\.identifier) == ["1", "2"])
    #expect(firm.people.value?.first?.firm.value === firm)
    firm.id.value = 9
    try firm.people.read(from: ["people": [["id": 3, "firm": ["id": 9, "name": "A"]]]])
    #expect(firm.people.value?.map(\.identifier) == ["3"])
    #expect(firm.name.value == "A")
  }

  @Test func `One field of a model that is a relation writes related models in full, and its owner by identifier`()
    throws
  {
    let (firm, worker) = (Firm(), Worker())
    firm.id.value = 1
    worker.id.value = 2
    worker.fullName.value = "Ann"
    worker.firm.value = firm
    var dictionary: AttributeDictionary = [:]
    try worker.firm.write(to: &dictionary)
    #expect(dictionary == ["firm": ["id": 1, "people": [["id": 2]]]])
    worker.employer.value = firm
    try worker.employer.write(to: &dictionary)
    #expect(dictionary["employer"] == 1)
  }

  @Test func `One field of a model has the property's name as its key, in the case of the context`() throws {
    let worker = Worker()
    worker.fullName.value = "Ann"
    var dictionary: AttributeDictionary = [:]
    try worker.fullName.write(to: &dictionary, in: ValueTransformerContext(keyCase: .snake))
    #expect(dictionary == ["full_name": "Ann"])
    let fields: [AnyField] = [worker.fullName]
    try fields[0].read(from: ["full_name": "Eve"], in: ValueTransformerContext(keyCase: .snake))
    #expect(worker.fullName.value == "Eve")
  }

  @Test func `A field whose path contains the identifier of a foreign key is an error of writing`() {
    let (firm, worker) = (Firm(), Worker())
    firm.id.value = 1
    worker.employer.value = firm
    worker.firmName.value = "A"
    let error = #expect(throws: ModelEncodingError.self) { try worker.jsonData() }
    #expect(error?.path == "employer")
    let reversed = ReversedWorker()
    reversed.employer.value = firm
    reversed.firmName.value = "A"
    let other = #expect(throws: ModelEncodingError.self) { try [reversed].jsonData() }
    #expect(other?.path == "[0].employer")
  }

  @Test func `A field is written with its transformer for the context of a scope`()
    throws
  {
    struct Odd: Error {}
    final class Note: Model {
      let text = Field<String>().transform(
        in: "csv",
        importValue: { json in
          guard let text = json.stringValue else { throw Odd() }
          return text.lowercased()
        }, exportValue: { .string($0.uppercased()) })
    }
    let scope = ModelScope(transformers: ValueTransformerContext(name: "csv"))
    let note = try Note.from(dictionaryValue: ["text": "ABC"], in: scope)
    #expect(note.text.value == "abc")
    #expect(note.dictionaryValue(fields: note.fields, in: scope) == ["text": "ABC"])
    #expect(note.dictionaryValue(fields: note.fields, in: ModelScope()) == ["text": "abc"])
    let error = #expect(throws: ModelDecodingError.self) { try Note.from(dictionaryValue: ["text": 1], in: scope) }
    #expect(error?.path == "text")
    #expect(error?.cause is Odd)
  }
}

private final class House: Model {
  let houseName = Field<String>()
  let lights = ModelField<Light>()*
}

private final class Light: Model {
  let isPowered = Field<Bool>()
  let wattage = Field<Int>()
}

@Suite struct `A context` {
  @Test func `A context applies to fields of models in lists, for reading and writing`() throws {
    var context = ValueTransformerContext(keyCase: .upperCamel)
    context.transform(Bool.self, importValue: { $0 == "ON" }, exportValue: { $0 ? "ON" : "OFF" })
    let scope = ModelScope(transformers: context)
    let dictionary: AttributeDictionary = [
      "HouseName": "H", "Lights": [["IsPowered": "ON", "Wattage": 5], ["IsPowered": "OFF"]],
    ]
    let house = try House.from(dictionaryValue: dictionary, in: scope)
    #expect(house.lights.value?.map(\.isPowered.value) == [true, false])
    #expect(house.dictionaryValue(fields: house.fields, in: scope) == dictionary)
  }

  @Test func `A lenient context converts values of other types, and reports the others with their path`()
    throws
  {
    let scope = ModelScope(transformers: ValueTransformerContext(decoding: .lenient))
    var issues: [String] = []
    scope.decodingIssueHandler = { issues += $0.map(\.description) }
    let dictionary: AttributeDictionary = ["houseName": 7, "lights": [["isPowered": 1, "wattage": "60"]]]
    let house = try House.from(dictionaryValue: dictionary, in: scope)
    #expect(
      house.dictionaryValue == ["houseName": "7", "lights": [["isPowered": true, "wattage": 60]]])
    #expect(issues.isEmpty)
    _ = try House.from(dictionaryValue: ["lights": [["wattage": "60.5"]]], in: scope)
    #expect(issues == ["lights[0].wattage: expected an integer, found the string \"60.5\""])
  }
}
