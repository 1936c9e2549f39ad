/**
 * The icon of every page, a table with a marked cell, as an address that needs no request. Without one, browsers request
 * `/favicon.ico` from the web server.
 */
export const ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAgMAAABinRfyAAAADFBMVEUzZpn/////zDMAAAAEDJX+AAAABHRSTlP///8AQCqp9AAAACBJREFUeNpjOMDAwMwABqwhWguwEgjAGiIagJUAA5BRANQdCuyVIRmbAAAAAElFTkSuQmCC';
