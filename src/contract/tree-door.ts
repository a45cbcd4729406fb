/** The door of the words that a parent session says to its child. */
export const treeDoor = "tree"
