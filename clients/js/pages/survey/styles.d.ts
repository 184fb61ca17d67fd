/** A style sheet as text, with what it imports. */
declare module "*.css" {
  const text: string;
  export default text;
}
