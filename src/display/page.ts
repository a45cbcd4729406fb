/** Where formatted text is shown. */
export interface Page {
  readonly width: number
  /** Without colours, marks that the text needs are kept. */
  readonly hasColour: boolean
}
