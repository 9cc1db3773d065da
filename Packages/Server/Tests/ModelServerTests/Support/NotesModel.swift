import Foundation

enum NotesModel {
  /// Writes a model file of notes with an identifier and a text of one to ten characters, and returns its path.
  static func write(in folder: URL, _ attributes: String = "", named name: String = "Notes") throws -> String {
    let model = folder.appending(path: "\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Note"><attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="text" attributeType="String" minValueString="1" maxValueString="10"/>\(attributes)
        </entity>
      </model>
      """
    try text.write(to: model.appending(path: "contents"), atomically: true, encoding: .utf8)
    return model.path(percentEncoded: false)
  }
}
