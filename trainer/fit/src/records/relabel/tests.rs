mod devices;
mod games;
mod positions;
