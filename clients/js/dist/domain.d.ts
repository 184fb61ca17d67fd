import { type Basemap } from "./maps.js";
export type Label = string | number;
/**
 * One attribute of an item, with its labels. A grid's have `bounds`, the interval that they cut into equal cells. Numbers have the
 * `edges` of their bins, from the lowest to the highest, and may all be `whole`. The labels of a `scale` have an order.
 */
export interface Axis {
    readonly name: string;
    readonly labels: readonly Label[];
    readonly bounds?: readonly [low: number, high: number];
    readonly edges?: readonly number[];
    readonly scale?: boolean;
    readonly whole?: boolean;
}
/** An item: its label or text, its labels on all axes, a point of a grid, or its number where labels are not numbers themselves. */
export type Item = Label | readonly Label[] | Readonly<Record<string, Label>>;
/** The items of a study, numbered from 0; the last axis counts fastest. */
export declare class Domain {
    #private;
    readonly axes: readonly Axis[];
    /** What is drawn below the cells of a grid. */
    readonly map?: Basemap | undefined;
    readonly size: number;
    constructor(axes: readonly Axis[], 
    /** What is drawn below the cells of a grid. */
    map?: Basemap | undefined);
    /** The places of an item on the axes. */
    places(code: number): number[];
    /** An item as text: its labels with slashes between them. */
    text(code: number): string;
    /** The number of the item that is written like this. */
    code(item: Item): number;
    /** Whether an item is written like this. */
    has(text: string): boolean;
}
/** A decimal number, which travels as text. */
export declare function decimal(value: unknown): number;
export declare function domainOf(value: unknown): Domain;
