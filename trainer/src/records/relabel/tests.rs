mod games;
mod positions;
