# The linear pendulum with full-state feedback: kr = 1 leaves a static error, kr = g*m + k2 = 19.4999 none.
# Veigend, PhD thesis (Brno 2023), sec. 6.2.2 (6.20), Fig. 6.19; the force enters with +1/(m*l).
param m = 1.5 [kg], l = 1.5 [m], g = 9.81 [m/s^2]
param d = 1 [kg/s]                        # damping
param k1 = 3 [N*s/rad], k2 = 4.7849 [N/rad], kr = 1 [N/rad]
param phi_r = 0.1 [rad]

u     = -k1*phi' - k2*phi + kr*phi_r [N]
phi'' = -d/m*phi' - g/l*phi + u/(m*l)

init phi = 0 [rad], phi' = 2 [rad/s]
output e = phi_r - phi [rad]
run 0 .. 10
